-- Keeps the ranks of buckets and hosts up to date, and writes back what the script has changed (flush).
--
-- A rank is (-priority, seq): sorted sets order by score, then by member, and members start with seq.
local function ready_at(h)
  local delay = h.delay >= 0 and h.delay or M.delay
  return delay > 0 and math.max(h.hold, h.asked + delay) or h.hold
end

-- Moves a host to where it belongs now.
local function put(h)
  local best = redis.call('ZRANGE', P .. 'g:' .. h.id, 0, 0, 'WITHSCORES')
  local place, rank, seq = NOWHERE, 0, NO_SEQ
  if best[1] then
    local at = ready_at(h)
    if h.flying >= M.per_host then
      place = FULL
    elseif at > now then
      place, rank = TIMED, at
    else
      place, rank, seq = READY, tonumber(best[2]), string.sub(best[1], 1, 5)
    end
  end
  if place == h.place and rank == h.rank and seq == h.seq then
    return
  end
  if h.place == READY then
    redis.call('ZREM', P .. 'ready:' .. h.owner, h.seq .. h.id)
  elseif h.place == TIMED and place ~= TIMED then
    redis.call('ZREM', P .. 'timed', h.id)
  elseif h.place == FULL then
    add('full', -1)
  end
  h.place, h.rank, h.seq, h.dirty = place, rank, seq, true
  if place == READY then
    redis.call('ZADD', P .. 'ready:' .. h.owner, rank, seq .. h.id)
  elseif place == TIMED then
    redis.call('ZADD', P .. 'timed', rank, h.id)
  elseif place == FULL then
    add('full', 1)
  end
end

-- Takes note of a bucket's best entry, whether it was looked up (stale) or offered by push.
local function changed(b)
  local has, rank, seq = 0, 0, NO_SEQ
  local best = redis.call('ZRANGE', P .. 'q:' .. b.id, 0, 0, 'WITHSCORES')
  if best[1] then
    has, rank, seq = 1, tonumber(best[2]) - b.offset, string.sub(best[1], 1, 5)
  end
  b.stale = false
  if has == b.has and rank == b.rank and seq == b.seq then
    return
  end
  if b.has == 1 and (has == 0 or seq ~= b.seq) then
    redis.call('ZREM', P .. 'g:' .. b.host.id, b.seq .. b.id)
  end
  if has == 1 then
    redis.call('ZADD', P .. 'g:' .. b.host.id, rank, seq .. b.id)
  end
  b.has, b.rank, b.seq, b.dirty, b.host.stale = has, rank, seq, true, true
end

local function flush()
  for id, b in pairs(B) do
    if b.stale then changed(b) end
    if b.dirty then
      redis.call('HSET', P .. 'b', id, struct.pack(BUCKET, b.host.id, b.size, b.offset, b.rank, b.seq, b.has) .. b.group)
    end
  end
  for id, h in pairs(H) do
    if h.stale then put(h) end
    if h.stale or h.dirty then
      redis.call('HSET', P .. 'host', id, struct.pack(HOST, h.delay, h.hold, h.asked, h.flying, h.n, h.place, h.rank,
        h.seq, #h.owner) .. h.owner .. h.name)
    end
  end
  local changes = {}
  for name, value in pairs(M) do
    if value ~= M_before[name] then
      changes[#changes + 1] = name
      changes[#changes + 1] = value
    end
  end
  if changes[1] then redis.call('HSET', KEYS[1], unpack(changes)) end
end
