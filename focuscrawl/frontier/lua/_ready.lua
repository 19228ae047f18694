-- Which hosts are ready, and the best of them.

-- Lets in entries and hosts whose time has come, and hosts a higher limit of leases sets free.
local function advance(per_host)
  wake()
  if per_host ~= M.per_host then
    M.per_host = per_host
    for _, key in ipairs(redis.call('ZRANGE', P .. 'leases', 0, -1)) do
      bucket(string.sub(redis.call('HGET', P .. 'e', key), 6, 9)).host.stale = true
    end
  end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', P .. 'timed', '-inf', now)) do
    host(id).stale = true
  end
  settle_ranks()
end

-- Returns the best bucket of the best ready host of `owner`, nil when none of its hosts is ready.
local function pick(owner)
  while true do
    local top = redis.call('ZRANGE', P .. 'ready:' .. owner, 0, 0)[1]
    if not top then return nil end
    local h = host(string.sub(top, 6))
    if ready_at(h) <= now and h.flying < M.per_host then return bucket(h.best) end
    put(h) -- the clock went back, or the delay has grown
  end
end
