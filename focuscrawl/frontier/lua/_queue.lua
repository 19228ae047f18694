-- Entries that are queued or leased.
--
-- e        hash: key, 8 bytes -> seq (5 bytes) .. bucket id (4) .. attempts (1) [.. not_before, score (doubles)] .. the
--          caller's payload: length of the URL (2), URL, the rest. The doubles are there when attempts has its high bit;
--          the score counts while the entry waits.
-- q:<b>    sorted set of a bucket: seq .. key -> -score; entries that may be leased
-- wait     sorted set: seq .. key -> not_before; entries that may not be leased yet
-- leases   sorted set: key -> time of expiry
-- lease    hash: key -> token, score (doubles) .. number of the call (double) .. who leased it
local function parse(key, text)
  local e = {key = key}
  local at
  e.seq, e.bid, e.attempts, at = struct.unpack('>c5c4B', text)
  e.not_before, e.score = 0, 0
  if e.attempts >= 128 then
    e.attempts = e.attempts - 128
    e.not_before, e.score, at = struct.unpack('>dd', text, at)
  end
  e.payload = string.sub(text, at)
  e.member = e.seq .. key
  return e
end

local function entry(key)
  local text = redis.call('HGET', P .. 'e', key)
  return text and parse(key, text)
end

local function save(e)
  local head, extra = e.attempts, ''
  if e.not_before ~= 0 then
    head, extra = head + 128, struct.pack('>dd', e.not_before, e.score)
  end
  redis.call('HSET', P .. 'e', e.key, struct.pack('>c5c4B', e.seq, e.bid, head) .. extra .. e.payload)
end

-- Returns the score of a queued entry, nil for a leased one, and whether it waits.
local function queued_score(e)
  local score = redis.call('ZSCORE', P .. 'q:' .. e.bid, e.member)
  if score then return -tonumber(score), false end
  if e.not_before ~= 0 and redis.call('ZSCORE', P .. 'wait', e.member) then return e.score, true end
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
  if e.not_before > now then
    redis.call('ZADD', P .. 'wait', e.not_before, e.member)
  else
    redis.call('ZADD', P .. 'q:' .. e.bid, -e.score, e.member)
    b.stale = true
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

-- Lets entries compete whose not_before has come.
local function wake()
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', P .. 'wait', '-inf', now)) do
    local e = entry(string.sub(member, 6))
    redis.call('ZADD', P .. 'q:' .. e.bid, -e.score, member)
    redis.call('ZREM', P .. 'wait', member)
    bucket(e.bid).stale = true
  end
end
