-- Discards what is kept of a dead worker, of which nobody will ask any more.
--
-- ARGV[3]  name of the dead worker
-- Keys: calls, taken (hashes).
redis.call('HDEL', P .. 'calls', ARGV[3])
redis.call('HDEL', P .. 'taken', ARGV[3])
