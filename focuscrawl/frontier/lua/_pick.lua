-- Which of the ready hosts is the best, while leases of this call change them.
--
-- The sorted sets ready:<w> are written when all is picked (flush). Until then, the next host is the first of those read
-- from the set that was not leased from, or one of those that were and may be asked once more, whichever is better.
local fronts, again = {}, {}

local function free(h)
  return h.ranked > 0 and h.flying < M.per_host and ready_at(h) <= now
end

-- Reads the next `n` hosts of a worker's, and the buckets that are their best.
local function advance_front(f, n)
  local members, hosts, buckets = call('ZRANGE', f.name, f.read, f.read + n - 1), {}, {}
  f.read = f.read + #members
  for i = 1, #members do
    local id = sub(members[i], 6)
    f[#f + 1] = id
    if not H[id] then hosts[#hosts + 1] = id end
  end
  if hosts[1] then
    for i, text in ipairs(call('HMGET', HOSTS, unpack(hosts))) do
      local best = read_host(hosts[i], text).best
      if not B[best] then buckets[#buckets + 1] = best end
    end
  end
  if buckets[1] then
    for i, text in ipairs(call('HMGET', BUCKETS, unpack(buckets))) do read_bucket(buckets[i], text) end
  end
  return members[1]
end

local function pick_of(owner, n)
  local f, best = fronts[owner], nil
  if not f then
    f = {name = P .. 'ready:' .. owner, read = 0, at = 1}
    fronts[owner] = f
  end
  while not best and (f[f.at] or advance_front(f, math.min(n, 64))) do
    local h = H[f[f.at]]
    if not h.leased and free(h) then
      best = h
    else
      f.at = f.at + 1
      h.stale = true -- leased from; or the clock went back, or the delay has grown
    end
  end
  for _, h in ipairs(again) do
    if h.owner == owner and (not best or better(h.rank, h.seq, best.rank, best.seq)) then
      best = h
    end
  end
  return best and bucket(best.best)
end

-- Returns the best bucket of the best ready host: of the worker's own hosts, else of those that are nobody's, else of
-- others' (`others`); nil when none is ready whose rank is `worst` or better. About `n` more will be asked for.
local function pick(worker, others, n, worst)
  local b = worker ~= '' and pick_of(worker, n)
  if b and b.rank <= worst then return b end
  b = pick_of('', n)
  if b and b.rank <= worst then return b end
  if not others then return nil end
  for _, owner in ipairs(call('SMEMBERS', P .. 'owners')) do
    b = pick_of(owner, n)
    if b and b.rank <= worst then return b end
  end
end

-- Takes note that a host was leased from.
local function asked(h)
  h.flying, h.asked, h.leased, h.stale, h.dirty = h.flying + 1, now, true, true, true
  for i, one in ipairs(again) do
    if one == h then
      table.remove(again, i)
      break
    end
  end
  if free(h) then again[#again + 1] = h end
end
