-- Returns expired leases to the queue, counting a lapse.
--
-- uses: known places bands ranks queue ends
-- ARGV[3]  lapses after which an entry counts as failed
-- Returns how many there were.
local expired, most = call('ZRANGEBYSCORE', LEASES, '-inf', now), tonumber(ARGV[3])
for _, key in ipairs(expired) do
  lapsed(end_lease(key), most)
end
flush()
return #expired
