-- Keeps the ranks of buckets and hosts up to date, and writes back what the script has changed (flush).
--
-- g:<host>   sorted set: seq of the best entry .. bucket id -> its rank; only while two or more buckets are ranked
-- ready:<w>  sorted set: seq of the best entry .. host id -> its rank; <w> owns the host, '' is everybody
-- timed      sorted set: host id -> Unix time it is ready
-- owned      hash: worker -> hosts it owns that are not empty
local function ready_at(h)
  local delay = h.delay >= 0 and h.delay or M.delay
  return delay > 0 and math.max(h.hold, h.asked + delay) or h.hold
end

-- Gives a host to a worker, or to everybody.
local function own(h, name)
  if h.place == READY then
    call('ZREM', P .. 'ready:' .. h.owner, h.at_seq .. h.id)
    call('ZADD', P .. 'ready:' .. name, h.at, h.at_seq .. h.id)
  end
  if h.owner ~= '' then call('HINCRBY', P .. 'owned', h.owner, -1) end
  if name ~= '' then call('HINCRBY', P .. 'owned', name, 1) end
  h.owner, h.dirty = name, true
end

-- Moves a host to where it belongs now.
local function put(h)
  local place, at, seq = NOWHERE, 0, NO_SEQ
  if h.ranked > 0 then
    local ready = ready_at(h)
    if h.flying >= M.per_host then
      place = FULL
    elseif ready > now then
      place, at = TIMED, ready
    else
      place, at, seq = READY, h.rank, h.seq
    end
  end
  h.stale = false
  if h.n == 0 and h.flying == 0 and h.owner ~= '' then own(h, '') end
  if place == h.place and at == h.at and seq == h.at_seq then return end
  if h.place == READY then
    call('ZREM', P .. 'ready:' .. h.owner, h.at_seq .. h.id)
  elseif h.place == TIMED and place ~= TIMED then
    call('ZREM', TIMES, h.id)
  elseif h.place == FULL then
    add('full', -1)
  end
  h.place, h.at, h.at_seq, h.dirty = place, at, seq, true
  if place == READY then
    call('ZADD', P .. 'ready:' .. h.owner, at, seq .. h.id)
  elseif place == TIMED then
    call('ZADD', TIMES, at, h.id)
  elseif place == FULL then
    add('full', 1)
  end
end

-- Takes the rank of a bucket's best entry to its host.
local function rerank(b, has, rank, seq)
  b.stale = false
  if has == b.has and rank == b.rank and seq == b.seq then return end
  local h = b.host
  local g, others = P .. 'g:' .. h.id, h.ranked - b.has
  if others > 0 then
    if b.has == 0 and others == 1 then
      call('ZADD', g, h.rank, h.seq .. h.best) -- the second: the first has not been in it
    elseif b.has == 1 and (has == 0 or seq ~= b.seq) then
      call('ZREM', g, b.seq .. b.id)
    end
    if has == 1 then call('ZADD', g, rank, seq .. b.id) end
  end
  h.ranked = others + has
  b.has, b.rank, b.seq, b.dirty = has, rank, seq, true
  if others == 0 or has == 1 and (rank < h.rank or rank == h.rank and seq <= h.seq) then
    h.rank, h.seq, h.best = rank, seq, b.id
  elseif h.best == b.id or has == 0 and others == 1 then
    local best = call('ZRANGE', g, 0, 0, 'WITHSCORES')
    h.seq, h.best, h.rank = sub(best[1], 1, 5), sub(best[1], 6), tonumber(best[2])
  end
  if has == 0 and others == 1 then call('DEL', g) end
  h.stale, h.dirty = true, true
end

-- Looks up the best entry of a bucket that has lost one, or has moved.
local function changed(b)
  local best = head(b)
  if best[1] then
    rerank(b, 1, tonumber(best[2]) - b.offset, sub(best[1], 1, 5))
  else
    rerank(b, 0, 0, NO_SEQ)
  end
end

-- Takes note of an entry that may be better than the best.
local function offered(b, score, seq)
  local rank = -score - b.offset
  if not b.stale and (b.has == 0 or rank < b.rank or rank == b.rank and seq < b.seq) then rerank(b, 1, rank, seq) end
end

local function settle_ranks()
  for _, b in pairs(B) do
    if b.stale then changed(b) end
  end
  for _, h in pairs(H) do
    if h.stale then put(h) end
  end
end

local function flush()
  settle_ranks()
  for id, b in pairs(B) do
    if b.size == 0 and b.out == 0 then
      drop(b)
    elseif b.dirty then
      call('HSET', BUCKETS, id, pack(BUCKET, b.host.id, b.size, b.out, b.offset, b.rank, b.seq, b.has,
        b.first, b.last) .. b.group)
    end
  end
  for id, h in pairs(H) do
    if h.dirty then
      call('HSET', HOSTS, id, pack(HOST, h.delay, h.hold, h.asked, h.flying, h.n, h.ranked, h.rank,
        h.seq, h.best, h.place, h.at, h.at_seq, #h.owner) .. h.owner .. h.name)
    end
  end
  save_numbers()
end
