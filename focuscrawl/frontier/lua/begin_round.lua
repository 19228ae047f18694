-- Begins a round of visits, for all workers: pages that are done are due at once, and come before all links.
--
-- ARGV[3]  number of the last round, as the caller knows it    ARGV[4]  new links to follow afterwards
-- ARGV[5]  JSON of what else is to be known of the round       ARGV[6]  name of the worker, which takes part
-- ARGV[7]  keys of the pages (8 bytes each), best first; push.lua has noted them, to be visited at a later time
-- Keys beside those of the parts: again (hash), due (sorted set), see _push.lua; round (hash: number; begun and ended, Unix
-- times; wanted, visits; links; facts, JSON; limit, pages up to which new links are followed once it has ended; after, JSON;
-- saw:<what a visit saw> -> how many), visiting (set: keys whose visits have not ended), visitors (sorted set, see
-- round.lua).
-- What an earlier round has left counts as part of this one. Pages are queued some at a time (_ready.lua), in their order.
-- Returns 1, or 0 where another worker was faster.
if tonumber(call('HGET', P .. 'round', 'number') or 0) ~= tonumber(ARGV[3]) then return 0 end
for at = 1, #ARGV[7], 8 do
  local key = sub(ARGV[7], at, at + 7)
  if call('HEXISTS', P .. 'again', key) == 1 then
    call('ZADD', P .. 'due', at, key)
    call('SADD', P .. 'visiting', key)
  elseif call('HEXISTS', E, key) == 1 then
    call('SADD', P .. 'visiting', key)
  end
end
local wanted, begun = call('SCARD', P .. 'visiting'), string.format('%.17g', now)
call('DEL', P .. 'round', P .. 'visitors')
call('ZADD', P .. 'visitors', now, ARGV[6])
call('HSET', P .. 'round', 'number', ARGV[3] + 1, 'begun', begun, 'wanted', wanted, 'links', ARGV[4], 'facts', ARGV[5])
if wanted == 0 then call('HSET', P .. 'round', 'ended', begun, 'limit', M.pages + tonumber(ARGV[4])) end
return 1
