-- The stream of page events, which every worker reads at its own cursor. What an event says is no concern of the
-- server's (focuscrawl/records.py: PageEvent).
--
-- Keys: events (stream: r, name of the run that fetched the page; p, JSON).

-- Append the arguments from number `at` on.
local function append_events(run, at)
  for i = at, #ARGV do
    redis.call('XADD', P .. 'events', 'MAXLEN', '~', 20000, '*', 'r', run, 'p', ARGV[i])
  end
end
