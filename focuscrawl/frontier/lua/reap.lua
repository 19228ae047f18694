-- Returns expired leases to the queue, counting an expiry.
--
-- uses: known places bands ranks queue ends
-- ARGV[3]  expiries after which an entry counts as failed
-- Returns how many there were.
local expired, most = call('ZRANGEBYSCORE', LEASES, '-inf', now), tonumber(ARGV[3])
for _, key in ipairs(expired) do
  expire(end_lease(key), most)
end
flush()
return #expired
