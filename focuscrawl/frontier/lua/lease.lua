-- Leases the best entries of the hosts that may be asked now.
--
-- uses: places bands ranks queue ready pick patience
-- ARGV[3]  how many at most                  ARGV[4]  leases of one host at once
-- ARGV[5]  seconds the leases last           ARGV[6]  name of the worker
-- ARGV[7]  number of the caller's call       ARGV[8]  1 when the call is made again because its answer was lost
-- ARGV[9]  owner whose hosts come first, '' without dispatch to owners
-- ARGV[10] pages all workers may fetch together, 0 for any number, -1 for the quota of a partition (quota.lua)
-- ARGV[11] rank beyond which nothing is leased, 'inf' for none
-- ARGV[12] seconds there are for waiting from the start, 0 for a fleet that does not wait
-- ARGV[13] seconds more for each page            ARGV[14] pages that count
-- ARGV[15] how much better a link must be to be waited for, as a difference of ranks
-- ARGV[16] seconds until its host may be asked at most
-- Returns the time, a double, then of each lease: key (8 bytes), token, expiry, offset of the group (doubles), lengths of
-- host, group (2 bytes each) and entry (4 bytes), host, group, entry as `e` has it without the lease.
local n, per_host, lease_s = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local holder = ARGV[7] .. ' ' .. ARGV[6]
local expires = string.format('%.17g', now + lease_s)
local reply = {pack('>d', now)}

local function answer(key, token, at, b, text)
  local name, size = b.host.name, #reply
  reply[size + 1] = pack('>c8dddI2I2I4', key, token, at, b.offset, #name, #b.group, #text)
  reply[size + 2], reply[size + 3], reply[size + 4] = name, b.group, text
end

if ARGV[8] == '1' then -- what that call has leased already, if it came through
  for _, key in ipairs(call('ZRANGE', LEASES, 0, -1)) do
    local e = entry(key)
    if e.holder == holder then
      local token = e.token
      e.token = nil
      answer(key, token, tonumber(call('ZSCORE', LEASES, key)), bucket(e.bid), stored(e))
    end
  end
  if reply[2] then return table.concat(reply) end
end
advance(per_host)
local limit, worst = tonumber(ARGV[10]), ARGV[11] == 'inf' and math.huge or tonumber(ARGV[11])
if limit < 0 then
  n = math.min(n, tonumber(call('HGET', KEYS[1], 'quota') or 0) - M.pages - call('ZCARD', LEASES))
end
if limit > 0 then n = math.min(n, limit - M.pages - call('ZCARD', LEASES)) end
local left, longest, later = tonumber(ARGV[12]), tonumber(ARGV[16]), nil
if left > 0 then left = seconds_left(left, tonumber(ARGV[13]), tonumber(ARGV[14])) end
if left > 0 then later = select(2, hosts_before(math.huge, longest)) end
local keys, of = {}, {}
for i = 1, n do
  local b = pick(ARGV[9], i == 1 or ARGV[9] == '', n - i + 1, worst)
  if not b then break end
  if later and later.rank < b.rank - tonumber(ARGV[15]) then
    since, upto = now, math.min(ready_at(later), now + left)
    save_waited()
    break
  end
  keys[i], of[i] = sub(call('ZPOPMIN', band(b, b.first))[1], 6), b
  b.out = b.out + 1
  taken(b)
  changed(b)
  asked(b.host)
  if left > 0 and only_delayed(b.host, longest) and (not later or b.host.rank < later.rank) then later = b.host end
end
for from = 1, #keys, 500 do
  local to = math.min(from + 499, #keys)
  local texts, entries, leases = call('HMGET', E, unpack(keys, from, to)), {}, {}
  for i, text in ipairs(texts) do
    local key = keys[from + i - 1]
    add('tokens', 1)
    answer(key, M.tokens, now + lease_s, of[from + i - 1], text)
    -- The entry as it is, with the lease put in; taking it apart would cost more than all the rest.
    local bits = string.byte(text, 10)
    local cut = (bits >= 128 and 26 or 18) + (bits % 32 >= 16 and 1 or 0)
    entries[2 * i - 1] = key
    entries[2 * i] = sub(text, 1, 9) .. string.char(bits + 64) .. sub(text, 11, cut)
      .. pack('>dB', M.tokens, #holder) .. holder .. sub(text, cut + 1)
    leases[2 * i - 1], leases[2 * i] = expires, key
  end
  call_with('HSET', E, entries)
  call_with('ZADD', LEASES, leases)
end
call('ZADD', P .. 'workers', now, ARGV[6])
flush()
return table.concat(reply)
