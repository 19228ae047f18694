-- Leases the best entries of the hosts that may be asked now.
--
-- uses: places ranks queue ready
-- ARGV[3]  how many at most                  ARGV[4]  leases of one host at once
-- ARGV[5]  seconds the leases last           ARGV[6]  name of the worker
-- ARGV[7]  number of the caller's call       ARGV[8]  1 when the call is made again because its answer was lost
-- ARGV[9]  owner whose hosts come first, '' without dispatch to owners
-- Returns the time, then one string a lease: key (8 bytes), token, expiry, score, priority (doubles), lengths of host
-- and group (2 bytes each), host, group, entry as `e` has it.
local n, per_host, lease_s = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local mine = struct.pack('>d', tonumber(ARGV[7])) .. ARGV[6]
local leases = {string.format('%.17g', now)}

local function answer(key, token, score, expires)
  local text = redis.call('HGET', P .. 'e', key)
  local b = bucket(string.sub(text, 6, 9))
  local name = b.host.name
  leases[#leases + 1] = struct.pack('>c8ddddI2I2', key, token, expires, score, b.offset + score, #name, #b.group)
    .. name .. b.group .. text
end

if ARGV[8] == '1' then -- what that call has leased already, if it came through
  local all = redis.call('HGETALL', P .. 'lease')
  for i = 1, #all, 2 do
    local token, score, at = struct.unpack('>dd', all[i + 1])
    if string.sub(all[i + 1], at) == mine then
      answer(all[i], token, score, tonumber(redis.call('ZSCORE', P .. 'leases', all[i])))
    end
  end
  if leases[2] then return leases end
end
advance(per_host)
for _ = 1, n do
  local b = pick(ARGV[9])
  if not b then break end
  local best = redis.call('ZPOPMIN', P .. 'q:' .. b.id)
  local key, score = string.sub(best[1], 6), -tonumber(best[2])
  taken(b)
  b.host.flying, b.host.asked, b.host.dirty = b.host.flying + 1, now, true
  changed(b)
  put(b.host)
  b.host.stale = false
  add('tokens', 1)
  redis.call('ZADD', P .. 'leases', now + lease_s, key)
  redis.call('HSET', P .. 'lease', key, struct.pack('>dd', M.tokens, score) .. mine)
  answer(key, M.tokens, score, now + lease_s)
end
redis.call('ZADD', P .. 'workers', now, ARGV[6])
flush()
return leases
