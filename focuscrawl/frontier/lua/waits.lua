-- Says what the hosts with queued links wait for, for people.
--
-- uses: places bands ranks queue ready
-- ARGV[3]  hosts to name at most
-- Returns how many hosts are ready, how many are at their limit of leases, how many wait for their time; then of the first
-- of these that will be ready: name, seconds between two leases (the crawl's delay, or the host's own), seconds left.
advance(M.per_host)
local ready = call('ZCARD', P .. 'ready:')
for _, owner in ipairs(call('SMEMBERS', P .. 'owners')) do
  ready = ready + call('ZCARD', P .. 'ready:' .. owner)
end
local reply = {ready, M.full, call('ZCARD', TIMES)}
for _, id in ipairs(call('ZRANGE', TIMES, 0, tonumber(ARGV[3]) - 1)) do
  local h = host(id)
  local delay = h.delay >= 0 and h.delay or M.delay
  local size = #reply
  reply[size + 1], reply[size + 2] = h.name, string.format('%.17g', delay)
  reply[size + 3] = string.format('%.17g', math.max(0, ready_at(h) - now))
end
flush()
return reply
