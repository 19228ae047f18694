-- A worker leaves: what it said of itself is forgotten, and another may be the trainer at once.
--
-- ARGV[3] name of the worker    ARGV[4…] pages it has judged since its last report
-- Keys: facts (hash), trainer (string), outcomes (stream).
for i = 4, #ARGV do
  redis.call('XADD', P .. 'outcomes', 'MAXLEN', '~', 20000, '*', 'o', ARGV[i])
end
redis.call('HDEL', P .. 'facts', ARGV[3])
if redis.call('GET', P .. 'trainer') == ARGV[3] then redis.call('DEL', P .. 'trainer') end
