-- Heartbeat of a worker: it reports, and learns what is new. One call a second each.
-- uses: events totals
--
-- ARGV[3] name of the worker            ARGV[4] its status, JSON
-- ARGV[5] commands it knows             ARGV[6] milliseconds a trainer may be silent, 0: does not want to be it
-- ARGV[7] cursor in `events`            ARGV[8] 1: it learns from each event, which takes longer than to count it
-- ARGV[9] name of its run, whose own events are left out                ARGV[10…] events of pages it has settled since
-- Keys: status (hash: worker -> JSON), workers (sorted set), commands (list of JSON), trainer (string, expires: the worker
-- that publishes), events (stream, see _events.lua), model (hash: version, data), meta (scored: last change of topic for
-- which the queue has been scored anew; past: commands given before the present workers came; heard: time of the last
-- heartbeat, which the newest of `workers` need not be; heard_since: since when there was one every ten seconds, for reap.lua).
-- Returns number of commands, past, scored, 1 for the trainer, version of the model, new commands, cursor, 1 if there are
-- more events, events of other runs (lines of JSON, in one string: a client spends more on a string than on what is in it),
-- totals (see _totals.lua).
local MOST, MOST_LEARNED = 500, 250 -- events at once
local heard = tonumber(redis.call('HGET', KEYS[1], 'heard') or 0)
if now - heard > 10 then redis.call('HSET', KEYS[1], 'heard_since', now) end
redis.call('HSET', KEYS[1], 'heard', now)
redis.call('HSET', P .. 'status', ARGV[3], ARGV[4])
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
    redis.call('HDEL', P .. 'status', name) -- died ten minutes ago, and will not come back under that name
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
local commands = redis.call('LRANGE', P .. 'commands', tonumber(ARGV[5]), -1)
local meta = redis.call('HMGET', KEYS[1], 'past', 'scored')
return {tonumber(ARGV[5]) + #commands, tonumber(meta[1] or 0), tonumber(meta[2] or 0), mine and 1 or 0,
  tonumber(redis.call('HGET', P .. 'model', 'version') or 0), commands, cursor, #events == most and 1 or 0,
  table.concat(of_others, '\n'), totals()}
