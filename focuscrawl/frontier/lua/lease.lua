-- Leases the best entries of the hosts that may be asked now.
--
-- uses: places bands ranks queue ready
-- ARGV[3]  how many at most                  ARGV[4]  leases of one host at once
-- ARGV[5]  seconds the leases last           ARGV[6]  name of the worker
-- ARGV[7]  number of the caller's call       ARGV[8]  1 when the call is made again because its answer was lost
-- ARGV[9]  owner whose hosts come first, '' without dispatch to owners
-- ARGV[10] pages all workers may fetch together, 0 for any number
-- Returns the time, then one string a lease: key (8 bytes), expiry, priority (doubles), lengths of host and group (2
-- bytes each), host, group, entry as `e` has it.
local n, per_host, lease_s = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local holder = ARGV[7] .. ' ' .. ARGV[6]
local expires = string.format('%.17g', now + lease_s)
local leases = {string.format('%.17g', now)}

local function answer(e, b, at)
  local name = b.host.name
  leases[#leases + 1] = struct.pack('>c8ddI2I2', e.key, at, b.offset + e.score, #name, #b.group) .. name .. b.group
    .. stored(e)
end

if ARGV[8] == '1' then -- what that call has leased already, if it came through
  for _, key in ipairs(redis.call('ZRANGE', P .. 'leases', 0, -1)) do
    local e = entry(key)
    if e.holder == holder then answer(e, bucket(e.bid), tonumber(redis.call('ZSCORE', P .. 'leases', key))) end
  end
  if leases[2] then return leases end
end
advance(per_host)
local limit = tonumber(ARGV[10])
if limit > 0 then n = math.min(n, limit - M.pages - redis.call('ZCARD', P .. 'leases')) end
for i = 1, n do
  local b = pick(ARGV[9], i == 1 or ARGV[9] == '')
  if not b then break end
  local member = redis.call('ZPOPMIN', band(b, b.first))[1]
  local e = entry(string.sub(member, 6))
  taken(b)
  changed(b)
  b.out = b.out + 1
  b.host.flying, b.host.asked = b.host.flying + 1, now
  put(b.host)
  add('tokens', 1)
  e.token, e.holder = M.tokens, holder
  save(e)
  redis.call('ZADD', P .. 'leases', expires, e.key)
  answer(e, b, now + lease_s)
end
redis.call('ZADD', P .. 'workers', now, ARGV[6])
flush()
return leases
