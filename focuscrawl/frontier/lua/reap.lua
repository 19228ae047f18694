-- Returns expired leases to the queue, counting an attempt.
--
-- uses: known places bands ranks queue ends
-- Returns how many there were.
local expired = call('ZRANGEBYSCORE', LEASES, '-inf', now)
for _, key in ipairs(expired) do
  try_again(end_lease(key))
end
flush()
return #expired
