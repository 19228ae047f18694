-- A worker reports, and learns what is new: one call a second each.
-- uses: tell
--
-- ARGV[3] name of the worker            ARGV[4] how it does, JSON
-- ARGV[5] orders it knows               ARGV[6] milliseconds a trainer may be silent, 0: does not want to be it
-- ARGV[7] place in `outcomes` it has learned up to, '' to get none
-- ARGV[8] place in `fetched` it has heard up to        ARGV[9] name of its run, of which it needs to hear nothing
-- ARGV[10…] pages it has judged and settled since: see _tell.lua
-- Keys: facts (hash: worker -> JSON), workers (sorted set), orders (list of JSON), trainer (string, expires: the worker
-- that learns for all), outcomes and fetched (streams, see _tell.lua), model (hash: version, data), meta (retopic: last
-- change of topic for which the queue has been scored anew).
-- Returns number of orders, retopic, 1 for the trainer, version of the model, new orders, outcomes (id, JSON, id, …),
-- 1 if there are more, place in `fetched`, 1 if there is more to hear, what others have fetched (lines of JSON, in one
-- string: a client spends more on a string than on what is in it).
local MOST_TRAINER, MOST = 1000, 250 -- outcomes at once: the trainer has to keep up, others spend a tenth of their time
redis.call('HSET', P .. 'facts', ARGV[3], ARGV[4])
redis.call('ZADD', P .. 'workers', now, ARGV[3])
tell(ARGV[9], 10)
local silent, holder = tonumber(ARGV[6]), redis.call('GET', P .. 'trainer')
if silent > 0 and (not holder or holder == ARGV[3]) then
  redis.call('SET', P .. 'trainer', ARGV[3], 'PX', silent)
  holder = ARGV[3]
end
local mine, outcomes = holder == ARGV[3], {}
local most = mine and MOST_TRAINER or MOST
if ARGV[7] ~= '' then
  for _, one in ipairs(redis.call('XRANGE', P .. 'outcomes', '(' .. ARGV[7], '+', 'COUNT', most)) do
    outcomes[#outcomes + 1] = one[1]
    outcomes[#outcomes + 1] = one[2][2]
  end
end
if mine then
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', P .. 'workers', '-inf', now - 600)) do
    redis.call('HDEL', P .. 'facts', name) -- died ten minutes ago, and will not come back under that name
    redis.call('ZREM', P .. 'workers', name)
  end
end
local place, fetched = ARGV[8], redis.call('XRANGE', P .. 'fetched', '(' .. ARGV[8], '+', 'COUNT', 500)
local of_others = {}
for _, one in ipairs(fetched) do
  place = one[1]
  if one[2][2] ~= ARGV[9] then of_others[#of_others + 1] = one[2][4] end
end
local orders = redis.call('LRANGE', P .. 'orders', tonumber(ARGV[5]), -1)
return {tonumber(ARGV[5]) + #orders, tonumber(redis.call('HGET', KEYS[1], 'retopic') or 0), mine and 1 or 0,
  tonumber(redis.call('HGET', P .. 'model', 'version') or 0), orders, outcomes,
  #outcomes == 2 * most and 1 or 0, place, #fetched == 500 and 1 or 0, table.concat(of_others, '\n')}
