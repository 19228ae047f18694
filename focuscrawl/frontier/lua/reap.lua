-- Returns expired leases to the queue, and those of dead workers, counting an expiry.
--
-- uses: known places bands ranks queue ends
-- ARGV[3]  expiries after which an entry counts as failed
-- Keys beside those of the parts: workers (sorted set), status (hash), meta (heard_since, see heartbeat.lua), taken (hash,
-- see recover.lua).
-- A worker that sends heartbeats is dead when it was not heard of for a minute in which others were. Returns how many
-- leases there were.
local ALIVE = 60 -- seconds, as in focuscrawl/fleet/channel.py
local expired, most = call('ZRANGEBYSCORE', LEASES, '-inf', now), tonumber(ARGV[3])
for _, key in ipairs(expired) do
  expire(end_lease(key), most)
end
local count, dead = #expired, {}
if now - tonumber(call('HGET', KEYS[1], 'heard_since') or now) > ALIVE then
  for _, name in ipairs(call('ZRANGEBYSCORE', P .. 'workers', '-inf', now - ALIVE)) do
    if call('HEXISTS', P .. 'status', name) == 1 then dead[name] = true end
  end
end
if next(dead) then
  for _, key in ipairs(call('ZRANGE', LEASES, 0, -1)) do
    local worker = worker_of(entry(key))
    if dead[worker] then
      expire(end_lease(key), most)
      call('HINCRBY', P .. 'taken', worker, 1)
      count = count + 1
    end
  end
end
flush()
return count
