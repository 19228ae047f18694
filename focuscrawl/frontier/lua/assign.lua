-- Gives hosts that are ready and nobody's to a worker each: the dispatch of new hosts to N workers.
--
-- uses: places bands ranks
-- ARGV[3]  round-robin, weighted, random, least-loaded or pick-2    ARGV[4]  worker that asks
-- ARGV[5]  its capacity, 0 for no hosts                             ARGV[6]  seed of the random choices
-- Keys beside those of the parts: workers (sorted set), capacity, owned (hashes: worker -> capacity; -> hosts it owns that
-- are not empty), current (hash: worker -> state of the weighted choice), owners (set: all that ever owned a host),
-- meta (turn: index of the worker that had the last turn). Returns how many hosts were given away.
redis.call('ZADD', P .. 'workers', now, ARGV[4])
redis.call('HSET', P .. 'capacity', ARGV[4], ARGV[5])
local alive, total = {}, 0
for _, name in ipairs(redis.call('ZRANGEBYSCORE', P .. 'workers', now - 60, '+inf')) do
  local capacity = tonumber(redis.call('HGET', P .. 'capacity', name) or 0)
  if capacity > 0 then
    total = total + capacity
    alive[#alive + 1] = {name = name, capacity = capacity,
      load = tonumber(redis.call('HGET', P .. 'owned', name) or 0)}
  end
end
if not alive[1] then return 0 end
table.sort(alive, function(a, b) return a.name < b.name end)

local function drawn(h, n) -- in [0, 1): the same for a host, whoever asks
  return tonumber(string.sub(redis.sha1hex(ARGV[6] .. ' ' .. h.name .. ' ' .. n), 1, 8), 16) / 2 ^ 32
end

local function least(from)
  local best = from[1]
  for _, w in ipairs(from) do
    if w.load < best.load then best = w end
  end
  return best
end

local choose = {
  ['round-robin'] = function()
    local turn = tonumber(redis.call('HGET', KEYS[1], 'turn') or 0) % #alive + 1
    redis.call('HSET', KEYS[1], 'turn', turn)
    return alive[turn]
  end,
  weighted = function() -- smooth: everybody gains its weight, the greatest is chosen and pays the sum
    local best
    for _, w in ipairs(alive) do
      w.current = tonumber(redis.call('HINCRBYFLOAT', P .. 'current', w.name, w.capacity))
      if not best or w.current > best.current then best = w end
    end
    redis.call('HINCRBYFLOAT', P .. 'current', best.name, -total)
    return best
  end,
  random = function(h)
    local left = drawn(h, 1) * total
    for _, w in ipairs(alive) do
      left = left - w.capacity
      if left < 0 then return w end
    end
    return alive[#alive]
  end,
  ['least-loaded'] = function() return least(alive) end,
  ['pick-2'] = function(h)
    if #alive == 1 then return alive[1] end
    local i, j = math.floor(drawn(h, 1) * #alive) + 1, math.floor(drawn(h, 2) * (#alive - 1)) + 1
    if j >= i then j = j + 1 end
    return least({alive[math.min(i, j)], alive[math.max(i, j)]})
  end,
}

local living, given = {}, 0
for _, w in ipairs(alive) do living[w.name] = true end
for _, name in ipairs(redis.call('SMEMBERS', P .. 'owners')) do
  if not living[name] then
    for _, member in ipairs(redis.call('ZRANGE', P .. 'ready:' .. name, 0, -1)) do
      own(host(string.sub(member, 6)), '')
    end
  end
end
for _, member in ipairs(redis.call('ZRANGE', P .. 'ready:', 0, 99)) do
  local h = host(string.sub(member, 6))
  local w = choose[ARGV[3]](h)
  own(h, w.name)
  w.load, given = w.load + 1, given + 1
  redis.call('SADD', P .. 'owners', w.name)
end
flush()
return given
