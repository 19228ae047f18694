-- A worker reports, and learns what is new: one call a second each.
-- uses: events
--
-- ARGV[3] name of the worker            ARGV[4] how it does, JSON
-- ARGV[5] orders it knows               ARGV[6] milliseconds a trainer may be silent, 0: does not want to be it
-- ARGV[7] cursor in `events`            ARGV[8] 1: it learns from each event, which takes longer than to count it
-- ARGV[9] name of its run, whose own events are left out                ARGV[10…] events of pages it has settled since
-- Keys: facts (hash: worker -> JSON), workers (sorted set), orders (list of JSON), trainer (string, expires: the worker
-- that publishes), events (stream, see _events.lua), model (hash: version, data), meta (retopic: last change of topic for
-- which the queue has been scored anew).
-- Returns number of orders, retopic, 1 for the trainer, version of the model, new orders, cursor, 1 if there are more
-- events, events of other runs (lines of JSON, in one string: a client spends more on a string than on what is in it).
local MOST, MOST_LEARNED = 500, 250 -- events at once
redis.call('HSET', P .. 'facts', ARGV[3], ARGV[4])
redis.call('ZADD', P .. 'workers', now, ARGV[3])
append_events(ARGV[9], 10)
local silent, holder = tonumber(ARGV[6]), redis.call('GET', P .. 'trainer')
if silent > 0 and (not holder or holder == ARGV[3]) then
  redis.call('SET', P .. 'trainer', ARGV[3], 'PX', silent)
  holder = ARGV[3]
end
local mine = holder == ARGV[3]
if mine then
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', P .. 'workers', '-inf', now - 600)) do
    redis.call('HDEL', P .. 'facts', name) -- died ten minutes ago, and will not come back under that name
    redis.call('ZREM', P .. 'workers', name)
  end
end
local most = ARGV[8] == '1' and not mine and MOST_LEARNED or MOST -- the trainer has to keep up
local cursor, events = ARGV[7], redis.call('XRANGE', P .. 'events', '(' .. ARGV[7], '+', 'COUNT', most)
local of_others = {}
for _, one in ipairs(events) do
  cursor = one[1]
  if one[2][2] ~= ARGV[9] then of_others[#of_others + 1] = one[2][4] end
end
local orders = redis.call('LRANGE', P .. 'orders', tonumber(ARGV[5]), -1)
return {tonumber(ARGV[5]) + #orders, tonumber(redis.call('HGET', KEYS[1], 'retopic') or 0), mine and 1 or 0,
  tonumber(redis.call('HGET', P .. 'model', 'version') or 0), orders, cursor, #events == most and 1 or 0,
  table.concat(of_others, '\n')}
