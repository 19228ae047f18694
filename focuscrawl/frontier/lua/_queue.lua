-- Entries that are queued or leased.
--
-- e        hash: key, 8 bytes -> what ENTRY packs [.. not_before (double)] [.. expiries (1 byte)] [.. token (double),
--          length of the holder (1 byte), holder] .. the caller's payload: length of the URL (2 bytes), URL, the rest.
--          `bits` are the failed attempts, 15 at most, plus 16 when leases of it have expired, 32 while it waits, 64 while
--          it is leased, 128 when it has a not_before.
-- wait     sorted set: key -> not_before; entries that may not be leased yet
-- leases   sorted set: key -> Unix time of expiry
local ENTRY = '>c5c4Bd' -- seq, bucket, bits, score

local function parse(key, text)
  local e = {key = key, not_before = 0, expiries = 0}
  local bits, at, size
  e.seq, e.bid, bits, e.score, at = read(ENTRY, text)
  if bits >= 128 then
    bits, e.not_before, at = bits - 128, read('>d', text, at)
  end
  if bits % 32 >= 16 then
    e.expiries, at = read('>B', text, at)
  end
  if bits >= 64 then
    bits, e.token, size, at = bits - 64, read('>dB', text, at)
    e.holder = sub(text, at, at + size - 1)
    at = at + size
  end
  if bits >= 32 then
    bits, e.waits = bits - 32, true
  end
  if bits >= 16 then bits = bits - 16 end
  e.attempts, e.payload = bits, sub(text, at)
  return e
end

local function entry(key)
  local text = call('HGET', E, key)
  return text and parse(key, text)
end

local function stored(e)
  local bits, extra = e.attempts, ''
  if e.not_before ~= 0 then
    bits, extra = bits + 128, pack('>d', e.not_before)
  end
  if e.expiries > 0 then
    bits, extra = bits + 16, extra .. string.char(e.expiries)
  end
  if e.token then
    bits, extra = bits + 64, extra .. pack('>dB', e.token, #e.holder) .. e.holder
  end
  if e.waits then bits = bits + 32 end
  return pack(ENTRY, e.seq, e.bid, bits, e.score) .. extra .. e.payload
end

local function save(e)
  call('HSET', E, e.key, stored(e))
end

local function enqueue(e)
  local b = bucket(e.bid)
  if b.size == 0 then
    add('groups', 1)
    if b.host.n == 0 then add('hosts', 1) end
    b.host.n, b.host.dirty = b.host.n + 1, true
  end
  b.size, b.dirty = b.size + 1, true
  add('queued', 1)
  e.token, e.waits = nil, e.not_before > now
  save(e)
  if e.waits then
    call('ZADD', WAIT, e.not_before, e.key)
  else
    put_in(b, e.score, e.seq .. e.key)
    offered(b, e.score, e.seq)
  end
end

-- Counts an entry less in its bucket, from which it has been taken.
local function taken(b)
  b.size, b.dirty, b.stale = b.size - 1, true, true
  add('queued', -1)
  if b.size == 0 then
    add('groups', -1)
    b.host.n, b.host.dirty = b.host.n - 1, true
    if b.host.n == 0 then add('hosts', -1) end
  end
end

-- Gives a queued entry another score and payload.
local function move(e, score)
  local b, old = bucket(e.bid), e.score
  e.score = score
  save(e)
  if not e.waits then
    take_out(b, old, e.seq .. e.key)
    put_in(b, score, e.seq .. e.key)
    b.stale = true
  end
end

-- Lets entries compete whose not_before has come.
local function wake()
  for _, key in ipairs(call('ZRANGEBYSCORE', WAIT, '-inf', now)) do
    local e = entry(key)
    call('ZREM', WAIT, key)
    e.waits = false
    save(e)
    put_in(bucket(e.bid), e.score, e.seq .. key)
    offered(bucket(e.bid), e.score, e.seq)
  end
end
