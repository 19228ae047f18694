-- Patience: whether a fleet leaves a ready link for a better one whose host may not be asked yet (see patience.py).
--
-- meta     field waited: what WAITED packs: seconds waited so far; Unix time since when it waits, -1 while it does not,
--          and until when
local WAITED = '>ddd'
local SOONEST = 32 -- hosts that are looked at, those free first: 200 cost a page 200 microseconds, these 10 to 40

local waited, since, upto = 0, -1, 0
local function read_waited()
  local text = call('HGET', KEYS[1], 'waited')
  if text then waited, since, upto = read(WAITED, text) end
end

local function save_waited()
  call('HSET', KEYS[1], 'waited', pack(WAITED, waited, since, upto))
end

-- Counts the time waited since the last look; returns how many seconds are left: `at_once`, and `a_page` for each of the
-- first `pages` that are fetched.
local function seconds_left(at_once, a_page, pages)
  read_waited()
  if since >= 0 then
    waited, since = waited + math.max(0, now - since), -1
    save_waited()
  end
  return at_once + a_page * math.min(M.pages, pages) - waited
end

-- Tells whether a host with links waits for its delay alone, `longest` seconds at most: one on a longer hold has failed, or
-- is not to be asked now.
local function only_delayed(h, longest)
  local at, delay = ready_at(h), h.delay >= 0 and h.delay or M.delay
  return at > now and at <= now + longest and h.hold <= now + 2 * delay and h.ranked > 0 and h.flying < M.per_host
end

-- Returns how many hosts that wait for their delay alone have a link of a rank before `rank`, and the one with the best.
local function hosts_before(rank, longest)
  local latest, missing = string.format('%.17g', now + longest), {}
  for _, id in ipairs(call('ZRANGEBYSCORE', TIMES, '-inf', latest, 'LIMIT', 0, SOONEST)) do
    if not H[id] then missing[#missing + 1] = id end
  end
  if missing[1] then
    for i, text in ipairs(call('HMGET', HOSTS, unpack(missing))) do read_host(missing[i], text) end
  end
  local count, best = 0, nil
  for _, h in pairs(H) do
    if h.rank < rank and only_delayed(h, longest) then
      count = count + 1
      if not best or better(h.rank, h.seq, best.rank, best.seq) then best = h end
    end
  end
  return count, best
end
