-- Which hosts are ready, and the best of them.

-- Lets in entries and hosts whose time has come, and hosts a higher limit of leases sets free.
local function advance(per_host)
  wake()
  if per_host ~= M.per_host then
    M.per_host = per_host
    for _, key in ipairs(call('ZRANGE', LEASES, 0, -1)) do
      bucket(sub(call('HGET', E, key), 6, 9)).host.stale = true
    end
  end
  for _, id in ipairs(call('ZRANGEBYSCORE', TIMES, '-inf', now)) do
    host(id).stale = true
  end
  settle_ranks()
end

local function pick_of(owner)
  while true do
    local top = call('ZRANGE', P .. 'ready:' .. owner, 0, 0)[1]
    if not top then return nil end
    local h = host(sub(top, 6))
    if ready_at(h) <= now and h.flying < M.per_host then return bucket(h.best) end
    put(h) -- the clock went back, or the delay has grown
  end
end

-- Returns the best bucket of the best ready host: of the worker's own hosts, else of those that are nobody's, else of
-- others' (`others`); nil when none is ready.
local function pick(worker, others)
  local b = worker ~= '' and pick_of(worker) or pick_of('')
  if b or not others then return b end
  for _, owner in ipairs(call('SMEMBERS', P .. 'owners')) do
    b = pick_of(owner)
    if b then return b end
  end
end
