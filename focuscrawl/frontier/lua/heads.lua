-- Says what the best ready hosts of a partition have to offer.
--
-- uses: places bands ranks queue ready
-- ARGV[3]  hosts at most    ARGV[4]  leases of one host at once
-- Returns the pages that the quota allows beside those fetched and leased, 1 where a host may be asked again at once, then
-- the rank of the best entry of each host, the best host first.
advance(tonumber(ARGV[4]))
local reply = {tonumber(call('HGET', KEYS[1], 'quota') or 0) - M.pages - call('ZCARD', LEASES), 0}
local found = call('ZRANGE', P .. 'ready:', 0, tonumber(ARGV[3]) - 1, 'WITHSCORES')
for i = 1, #found, 2 do
  local h = host(sub(found[i], 6))
  local delay = h.delay >= 0 and h.delay or M.delay
  if delay <= 0 and h.flying + 1 < M.per_host then reply[2] = 1 end
  reply[#reply + 1] = string.format('%.17g', tonumber(found[i + 1]))
end
flush()
return reply
