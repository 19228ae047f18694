-- Ends of leases and of entries.

-- Takes back a lease; nil when the token is not valid (any more).
local function end_lease(key, token)
  local text = redis.call('HGET', P .. 'lease', key)
  if not text then return nil end
  local held, score = struct.unpack('>dd', text)
  if token and held ~= token then return nil end
  redis.call('HDEL', P .. 'lease', key)
  redis.call('ZREM', P .. 'leases', key)
  local e = entry(key)
  e.score = score
  local h = bucket(e.bid).host
  h.flying, h.stale = h.flying - 1, true
  return e
end

local function finish(key, outcome)
  redis.call('HDEL', P .. 'e', key)
  remember(key)
  add(outcome, 1)
end

-- Counts a failed attempt: back to the queue, or failed for good.
local function try_again(e)
  e.attempts = e.attempts + 1
  if e.attempts >= M.attempts then
    finish(e.key, 'failed')
  else
    save(e)
    enqueue(e)
  end
end

-- Makes the other address of a page known; somebody else's lease is left alone.
local function also_known(key)
  local e = entry(key)
  if not e then
    if remember(key) then add('done', 1) end
    return
  end
  local score, waits = queued_score(e)
  if not score then return end
  redis.call('ZREM', waits and P .. 'wait' or P .. 'q:' .. e.bid, e.member)
  taken(bucket(e.bid))
  finish(key, 'done')
end
