-- Keeps the ranks of buckets and hosts up to date, and writes back what the script has changed (flush).
--
-- g:<host>   sorted set: seq of the best entry .. bucket id -> its rank; but for the best and the second, which the host
--            has, all ranked buckets
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

local leaving, coming = {}, {} -- of ready:<w>: owner -> what ZREM and ZADD are to be given
local timed = {} -- what ZADD of `timed` is to be given
local function later(lists, owner, one, two)
  local list = lists[owner]
  if not list then
    list = {}
    lists[owner] = list
  end
  list[#list + 1] = one
  list[#list + 1] = two
end

-- Moves a host to where it belongs now; settle_ranks writes it.
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
    later(leaving, h.owner, h.at_seq .. h.id)
  elseif h.place == TIMED and place ~= TIMED then
    call('ZREM', TIMES, h.id)
  elseif h.place == FULL then
    add('full', -1)
  end
  h.place, h.at, h.at_seq, h.dirty = place, at, seq, true
  if place == READY then
    later(coming, h.owner, at, seq .. h.id)
  elseif place == TIMED then
    timed[#timed + 1] = at
    timed[#timed + 1] = h.id
  elseif place == FULL then
    add('full', 1)
  end
end

-- Takes a bucket out of the ranking of its host.
local function unrank(b)
  local h = b.host
  h.ranked = h.ranked - 1
  if b.id == h.best then
    h.best, h.rank, h.seq = h.next, h.next_rank, h.next_seq
  elseif b.id ~= h.next then
    call('ZREM', P .. 'g:' .. h.id, b.seq .. b.id)
    return
  end
  if h.ranked > 1 then
    local top = call('ZPOPMIN', P .. 'g:' .. h.id)
    h.next_seq, h.next, h.next_rank = sub(top[1], 1, 5), sub(top[1], 6), tonumber(top[2])
  end
end

local function better(rank, seq, than_rank, than_seq)
  return rank < than_rank or rank == than_rank and seq < than_seq
end

-- Puts a bucket where its rank belongs among those of its host.
local function enrank(b)
  local h, rank, seq = b.host, b.rank, b.seq
  h.ranked = h.ranked + 1
  if h.ranked == 1 then
    h.best, h.rank, h.seq = b.id, rank, seq
    return
  end
  if h.ranked > 2 and not better(rank, seq, h.next_rank, h.next_seq) then
    call('ZADD', P .. 'g:' .. h.id, rank, seq .. b.id)
    return
  end
  if h.ranked > 2 then call('ZADD', P .. 'g:' .. h.id, h.next_rank, h.next_seq .. h.next) end
  if better(rank, seq, h.rank, h.seq) then
    h.next, h.next_rank, h.next_seq = h.best, h.rank, h.seq
    h.best, h.rank, h.seq = b.id, rank, seq
  else
    h.next, h.next_rank, h.next_seq = b.id, rank, seq
  end
end

-- Takes the rank of a bucket's best entry to its host.
local function rerank(b, has, rank, seq)
  b.stale = false
  if has == b.has and rank == b.rank and seq == b.seq then return end
  local h = b.host
  local stays = has == 1 and b.has == 1 and b.id == h.best
    and (h.ranked == 1 or better(rank, seq, h.next_rank, h.next_seq))
  if b.has == 1 and not stays then unrank(b) end
  b.has, b.rank, b.seq, b.dirty = has, rank, seq, true
  if stays then
    h.rank, h.seq = rank, seq
  elseif has == 1 then
    enrank(b)
  end
  h.stale, h.dirty = true, true
end

-- Looks up the best entry of a bucket that has lost one, or has moved.
local function changed(b)
  local best = head(b)
  if best[1] then
    rerank(b, 1, rank_of(b, tonumber(best[2])), sub(best[1], 1, 5))
  else
    rerank(b, 0, 0, NO_SEQ)
  end
end

-- Takes note of an entry that may be better than the best.
local function offered(b, score, seq)
  local rank = rank_of(b, level(score))
  if not b.stale and (b.has == 0 or better(rank, seq, b.rank, b.seq)) then rerank(b, 1, rank, seq) end
end

local function settle_ranks()
  for _, b in pairs(B) do
    if b.stale then changed(b) end
  end
  for _, h in pairs(H) do
    if h.stale then put(h) end
  end
  for owner, members in pairs(leaving) do call_with('ZREM', P .. 'ready:' .. owner, members) end
  for owner, members in pairs(coming) do call_with('ZADD', P .. 'ready:' .. owner, members) end
  call_with('ZADD', TIMES, timed)
  leaving, coming, timed = {}, {}, {}
end

local function flush()
  settle_ranks()
  local changes = {}
  for id, b in pairs(B) do
    if b.size == 0 and b.out == 0 then
      drop(b)
    elseif b.dirty then
      changes[#changes + 1] = id
      changes[#changes + 1] = pack(BUCKET, b.host.id, b.size, b.out, b.offset, b.rank, b.seq, b.has,
        b.first, b.last) .. b.group
    end
  end
  call_with('HSET', BUCKETS, changes)
  changes = {}
  for id, h in pairs(H) do
    if h.dirty then
      changes[#changes + 1] = id
      changes[#changes + 1] = pack(HOST, h.delay, h.hold, h.asked, h.flying, h.n, h.ranked, h.rank,
        h.seq, h.best, h.next_rank, h.next_seq, h.next, h.place, h.at, h.at_seq, #h.owner) .. h.owner .. h.name
    end
  end
  call_with('HSET', HOSTS, changes)
  save_numbers()
end
