-- Says where the round of visits stands.
--
-- ARGV[3]  name of a worker that takes part in it, '' for somebody who only looks
-- Keys: round (hash) and visiting (set), see begin_round.lua; visited (hash), see _visits.lua; visitors (sorted set:
-- worker that takes part -> Unix time it was last heard of).
-- Returns the time, how many workers were heard of in the last minute, visits left, pages that may be visited again, then
-- names and values of the round.
if ARGV[3] ~= '' then call('ZADD', P .. 'visitors', now, ARGV[3]) end
return {string.format('%.17g', now), call('ZCOUNT', P .. 'visitors', now - 60, '+inf'), call('SCARD', P .. 'visiting'),
  call('HLEN', P .. 'visited'), unpack(call('HGETALL', P .. 'round'))}
