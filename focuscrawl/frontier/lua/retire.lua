-- A worker leaves: what it said of itself is forgotten, and another may be the trainer at once.
-- uses: events
--
-- ARGV[3] name of the worker    ARGV[4] name of its run    ARGV[5…] page events since its last report
-- Keys: status (hash), trainer (string), events (stream, see _events.lua).
append_events(ARGV[4], 5)
redis.call('HDEL', P .. 'status', ARGV[3])
if redis.call('GET', P .. 'trainer') == ARGV[3] then redis.call('DEL', P .. 'trainer') end
