-- Queues entries, or raises the score of those queued already.
--
-- blob   entries one after the other: key (8 bytes), score, not_before (doubles), number of its place (2 bytes, from 1),
--        length of the payload (4 bytes), payload. A score that is no number: refused unless known. With the highest bit of
--        the length it is a page to be visited again once its `not_before` has come.
-- again  hash: key -> score (double), lengths of host and group (2 bytes each), host .. group .. payload; pages that wait to be visited again, which count as done
-- due    sorted set: key -> Unix time from which on such a page is queued, see _ready.lua
-- places host, group of place 1, host, group of place 2, …: ARGV from `first` on
-- Returns how many were added, raised, known, refused.
local places = {} -- number -> bucket
local VISIT = 2147483648

-- Notes when a page is to be visited again; false when its work is not over, it is not known, or a round has its visit.
local function visit_again(key, host, group, score, not_before, payload)
  if entry(key) or not is_known(key) or call('SISMEMBER', P .. 'visiting', key) == 1 then return false end
  call('HSET', P .. 'again', key, pack('>dI2I2', score, #host, #group) .. host .. group .. payload)
  call('ZADD', P .. 'due', string.format('%.17g', not_before), key)
  return true
end

-- Returns depth and tunnel of a payload, and where its data begin.
local function steps_at(payload, at)
  local depth, tunnel = read('>BB', payload, at)
  if depth < 255 or tunnel < 255 then return depth, tunnel, at + 2 end
  depth, tunnel = read('>I4I4', payload, at + 2)
  return depth, tunnel, at + 10
end

local function packed_steps(depth, tunnel)
  if depth < 255 and tunnel < 255 then return pack('>BB', depth, tunnel) end
  return pack('>BBI4I4', 255, 255, depth, tunnel)
end

local function push(blob, first)
  local added, raised, known, refused, at = 0, 0, 0, 0, 1
  while at <= #blob do
    local key, score, not_before, place, size
    key, score, not_before, place, size, at = read('>c8ddI2I4', blob, at)
    local visit = size >= VISIT
    if visit then size = size - VISIT end
    local payload = sub(blob, at, at + size - 1)
    at = at + size
    local e = not visit and entry(key)
    if visit then
      local host, group = ARGV[first + 2 * place - 2], ARGV[first + 2 * place - 1]
      if score == score and visit_again(key, host, group, score, not_before, payload) then
        added = added + 1
      else
        known = known + 1
      end
    elseif e then
      if not e.token and score > e.score then
        -- The URL stays, and so does the shortest way to it; data are those of the link that raised it.
        local own = read('>I2', e.payload) + 2
        local new = read('>I2', payload) + 2
        local depth, tunnel = steps_at(e.payload, own + 1)
        local its_depth, its_tunnel, data = steps_at(payload, new + 1)
        depth, tunnel = math.min(depth, its_depth), math.min(tunnel, its_tunnel)
        e.payload = sub(e.payload, 1, own) .. packed_steps(depth, tunnel) .. sub(payload, data)
        move(e, score)
        raised = raised + 1
      else
        known = known + 1
      end
    elseif is_known(key) then
      known = known + 1
    elseif score ~= score then
      refused = refused + 1
    else
      add('seq', 1)
      local seq = pack('>I5', M.seq)
      local b = places[place]
      if not b then
        b = bucket_named(ARGV[first + 2 * place - 2], ARGV[first + 2 * place - 1])
        places[place] = b
      end
      enqueue({key = key, seq = seq, bid = b.id, attempts = 0, expiries = 0, not_before = not_before, score = score,
        payload = payload})
      added = added + 1
    end
  end
  return added, raised, known, refused
end
