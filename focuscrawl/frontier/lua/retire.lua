-- A worker leaves: what it said of itself is forgotten, and another may be the trainer at once.
-- uses: tell
--
-- ARGV[3] name of the worker    ARGV[4] name of its run    ARGV[5…] pages since its last report: see _tell.lua
-- Keys: facts (hash), trainer (string), outcomes and fetched (streams).
tell(ARGV[4], 5)
redis.call('HDEL', P .. 'facts', ARGV[3])
if redis.call('GET', P .. 'trainer') == ARGV[3] then redis.call('DEL', P .. 'trainer') end
