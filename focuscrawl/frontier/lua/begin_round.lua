-- Begins a round of visits, for all workers: pages that are done are queued again, before all links.
--
-- uses: known places bands ranks queue push ready
-- ARGV[3]  number of the last round, as the caller knows it    ARGV[4]  new links to follow afterwards
-- ARGV[5]  JSON of what else is to be known of the round       ARGV[6]  keys of the pages (8 bytes each)
-- ARGV[7]  the pages, see _push.lua                            ARGV[8]  name of the worker, which takes part
-- ARGV[9…] places of the pages
-- Keys beside those of the parts: round (hash: number; begun and ended, Unix times; wanted, visits; links; facts, JSON;
-- limit, pages up to which new links are followed once it has ended; after, JSON; saw:<what a visit saw> -> how many),
-- visiting (set: keys whose visits have not ended), visitors (sorted set, see round.lua).
-- What an earlier round has left counts as part of this one. Returns 1, or 0 where another worker was faster.
if tonumber(call('HGET', P .. 'round', 'number') or 0) ~= tonumber(ARGV[3]) then return 0 end
push(ARGV[7], 9)
for _ = 1, #ARGV[6], 8 * 500 do queue_due() end
for at = 1, #ARGV[6], 8 do
  local key = sub(ARGV[6], at, at + 7)
  if entry(key) then call('SADD', P .. 'visiting', key) end
end
local wanted = call('SCARD', P .. 'visiting')
call('DEL', P .. 'round', P .. 'visitors')
call('ZADD', P .. 'visitors', now, ARGV[8])
call('HSET', P .. 'round', 'number', ARGV[3] + 1, 'begun', string.format('%.17g', now), 'wanted', wanted, 'links', ARGV[4],
  'facts', ARGV[5])
if wanted == 0 then
  call('HSET', P .. 'round', 'ended', string.format('%.17g', now), 'limit', M.pages + tonumber(ARGV[4]))
end
flush()
return 1
