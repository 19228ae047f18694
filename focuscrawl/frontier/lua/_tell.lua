-- What a worker tells of pages. Two streams, both read by every worker from a cursor of its own: what is learned from a
-- judged page, which a publication of the trainer may stand in for; and what budgets and duplicates need of a settled one.
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
