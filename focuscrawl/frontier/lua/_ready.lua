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
