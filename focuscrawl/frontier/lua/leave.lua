-- Takes a worker off the list, once it has given back its leases.
--
-- ARGV[3]  name of the worker
-- Keys: workers (sorted set), calls (hash).
redis.call('ZREM', P .. 'workers', ARGV[3])
redis.call('HDEL', P .. 'calls', ARGV[3])
