-- What a worker tells of pages. Two streams: what is learned from a page goes to the trainer alone, who comes back to
-- the place where its last publication ended; what all have to know goes to all, each of which is at a place of its own.
--
-- Keys: outcomes (stream: field o, JSON), fetched (stream: r, name of the run that fetched it; p, JSON).

-- Arguments from number `at` on: how many of the rest are outcomes, these, and what all have to know.
local function tell(run, at)
  local last = at + tonumber(ARGV[at])
  for i = at + 1, last do
    redis.call('XADD', P .. 'outcomes', 'MAXLEN', '~', 20000, '*', 'o', ARGV[i])
  end
  for i = last + 1, #ARGV do
    redis.call('XADD', P .. 'fetched', 'MAXLEN', '~', 20000, '*', 'r', run, 'p', ARGV[i])
  end
end
