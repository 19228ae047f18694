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

local function answer(key, text, b, score, at)
  local name = b.host.name
  leases[#leases + 1] = pack('>c8ddI2I2', key, at, b.offset + score, #name, #b.group) .. name .. b.group .. text
end

if ARGV[8] == '1' then -- what that call has leased already, if it came through
  for _, key in ipairs(call('ZRANGE', LEASES, 0, -1)) do
    local e = entry(key)
    if e.holder == holder then
      answer(key, stored(e), bucket(e.bid), e.score, tonumber(call('ZSCORE', LEASES, key)))
    end
  end
  if leases[2] then return leases end
end
advance(per_host)
local limit = tonumber(ARGV[10])
if limit > 0 then n = math.min(n, limit - M.pages - call('ZCARD', LEASES)) end
for i = 1, n do
  local b = pick(ARGV[9], i == 1 or ARGV[9] == '')
  if not b then break end
  local best = call('ZPOPMIN', band(b, b.first))
  local key, score = sub(best[1], 6), -tonumber(best[2])
  taken(b)
  changed(b)
  b.out = b.out + 1
  b.host.flying, b.host.asked = b.host.flying + 1, now
  put(b.host)
  add('tokens', 1)
  -- The entry as it is, with the lease put in; taking it apart would cost more than all the rest.
  local text = call('HGET', E, key)
  local bits = string.byte(text, 10)
  local cut = (bits >= 128 and 26 or 18) + (bits % 32 >= 16 and 1 or 0)
  text = sub(text, 1, 9) .. string.char(bits + 64) .. sub(text, 11, cut) .. pack('>dB', M.tokens, #holder) .. holder
    .. sub(text, cut + 1)
  call('HSET', E, key, text)
  call('ZADD', LEASES, expires, key)
  answer(key, text, b, score, now + lease_s)
end
call('ZADD', P .. 'workers', now, ARGV[6])
flush()
return leases
