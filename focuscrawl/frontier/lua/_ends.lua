-- Ends of leases and of entries.
local OUTCOMES = {'done', 'failed', 'refused'}

-- Takes back a lease; nil when the token is not valid (any more).
local function end_lease(key, token)
  local e = entry(key)
  if not e or not e.token or token and e.token ~= token then return nil end
  call('ZREM', LEASES, key)
  local b = bucket(e.bid)
  b.out, b.dirty = b.out - 1, true
  b.host.flying, b.host.stale, b.host.dirty = b.host.flying - 1, true, true
  return e
end

-- The worker that holds a lease.
local function worker_of(e)
  return sub(e.holder, string.find(e.holder, ' ', 1, true) + 1)
end

-- Ends the visit of a page of the round; the last one ends the round, and says up to which page new links are followed.
-- Keys: visiting (set: keys of pages of the round whose visits have not ended), round (hash, see begin_round.lua).
local function end_visit(key)
  if call('SREM', P .. 'visiting', key) == 1 and call('SCARD', P .. 'visiting') == 0 then
    local links = tonumber(call('HGET', P .. 'round', 'links') or 0)
    call('HSET', P .. 'round', 'ended', string.format('%.17g', now), 'limit', M.pages + links)
  end
end

local function finish(key, outcome)
  call('HDEL', E, key)
  remember(key)
  add(outcome, 1)
  end_visit(key)
end

-- Counts a failed attempt: back to the queue, or failed for good.
local function failed(e)
  e.attempts = e.attempts + 1
  if e.attempts >= M.attempts then
    finish(e.key, 'failed')
  else
    enqueue(e)
  end
end

-- Counts a lease whose holder did not come back: the same, after `most` of them.
local function expire(e, most)
  e.expiries = e.expiries + 1
  if e.expiries >= most then
    finish(e.key, 'failed')
  else
    enqueue(e)
  end
end

-- Makes the other address of a page known; somebody else's lease is left alone.
local function also_known(key)
  local e = entry(key)
  if not e then
    if remember(key) then add('done', 1) end
  elseif not e.token then
    if e.waits then
      call('ZREM', WAIT, key)
    else
      take_out(bucket(e.bid), e.score, e.seq .. key)
    end
    taken(bucket(e.bid))
    finish(key, 'done')
  end
end
