-- Gives all workers what the trainer has learned.
--
-- ARGV[3] name of the worker    ARGV[4] snapshot
-- Keys: trainer (string), model (hash: version, data). Returns its version, 0 when another worker is the trainer now.
if redis.call('GET', P .. 'trainer') ~= ARGV[3] then return 0 end
redis.call('HSET', P .. 'model', 'data', ARGV[4])
return redis.call('HINCRBY', P .. 'model', 'version', 1)
