-- The entries of a bucket that may be leased, in bands by score: sorted sets so small that Redis keeps them compact
-- (40 bytes an entry instead of 120).
--
-- q:<b><n>  sorted set: seq .. key -> level; band n of a bucket, n as 4 bytes
-- d:<b>     sorted set: n -> the least level of the band; -inf for the first. None while there is one band.
-- The level of a score is -score in steps of 2^-52, which is what adding the offset of a group leaves of it: a whole
-- number is kept in half the bytes, and compared and written several times faster.
-- Equal scores stay in one band, however many they are.
local MOST = 64 -- of zset-max-ziplist-entries, 128; each entry put in is compared with half the others

local STEP = 2 ^ 52

local function level(score)
  return floor(0.5 - score * STEP)
end

-- Returns the rank, beside its seq, of an entry of a bucket.
local function rank_of(b, level)
  return level - floor(b.offset * STEP + 0.5)
end

local function band(b, n)
  if n == 1 then
    b.only = b.only or P .. 'q:' .. b.id .. '\0\0\0\1'
    return b.only
  end
  return P .. 'q:' .. b.id .. pack('>I4', n)
end

local function band_for(b, level)
  if b.last == 1 then return band(b, 1) end
  return P .. 'q:' .. b.id .. call('ZREVRANGEBYSCORE', P .. 'd:' .. b.id, level, '-inf', 'LIMIT', 0, 1)[1]
end

local function split(b, name, size)
  local least = call('ZRANGE', name, 0, 0, 'WITHSCORES')[2]
  local bound = call('ZRANGE', name, size / 2, size / 2, 'WITHSCORES')[2]
  if bound == least then
    bound = call('ZRANGEBYSCORE', name, '(' .. least, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    if not bound then return end
  end
  if b.last == 1 then call('ZADD', P .. 'd:' .. b.id, '-inf', '\0\0\0\1') end
  b.last, b.dirty = b.last + 1, true
  call('ZADD', P .. 'd:' .. b.id, bound, pack('>I4', b.last))
  local moved = call('ZRANGEBYSCORE', name, bound, '+inf', 'WITHSCORES')
  for i = 1, #moved, 2 do
    moved[i], moved[i + 1] = moved[i + 1], moved[i]
  end
  for i = 1, #moved, 1000 do
    call('ZADD', band(b, b.last), unpack(moved, i, math.min(i + 999, #moved)))
  end
  call('ZREMRANGEBYSCORE', name, bound, '+inf')
end

local function put_in(b, score, member)
  local at = level(score)
  local name = band_for(b, at)
  call('ZADD', name, at, member)
  if b.last == 1 and b.size <= MOST then return end
  local size = call('ZCARD', name)
  if size > MOST and size % (MOST / 2) == 0 then split(b, name, size) end
end

local function take_out(b, score, member)
  call('ZREM', band_for(b, level(score)), member)
end

-- Returns the best entry of a bucket, {seq .. key, level}; {} when none may be leased. Empty bands are given up.
local function head(b)
  while true do
    local best = call('ZRANGE', band(b, b.first), 0, 0, 'WITHSCORES')
    if best[1] or b.last == 1 then return best end
    local d = P .. 'd:' .. b.id
    local next = call('ZRANGE', d, 1, 1)[1]
    if not next then return best end
    call('ZREM', d, pack('>I4', b.first))
    call('ZADD', d, '-inf', next)
    b.first, b.dirty = read('>I4', next), true
  end
end
