-- Which hosts are ready, and the best of them.

-- Queues pages whose visit has come due (`due` and `again`, see _push.lua), some at a time.
local function queue_due()
  local keys = call('ZRANGEBYSCORE', P .. 'due', '-inf', now, 'LIMIT', 0, 500)
  for _, key in ipairs(keys) do
    local text = call('HGET', P .. 'again', key)
    call('ZREM', P .. 'due', key)
    call('HDEL', P .. 'again', key)
    if text and not entry(key) then
      local score, host, group, at = read('>dI2I2', text)
      host, group = sub(text, at, at + host - 1), sub(text, at + host, at + host + group - 1)
      at = at + #host + #group
      add('seq', 1)
      add('done', -1)
      enqueue({key = key, seq = pack('>I5', M.seq), bid = bucket_named(host, group).id, attempts = 0, expiries = 0,
        not_before = 0, score = score, payload = sub(text, at)})
    end
  end
end

-- Lets in entries and hosts whose time has come, and hosts a higher limit of leases sets free.
local function advance(per_host)
  queue_due()
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
