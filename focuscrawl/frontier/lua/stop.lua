-- Tells all workers to stop; the first reason given stays.
--
-- ARGV[3]  reason    ARGV[4]  detail
-- Keys: meta. open.lua takes it back for the first worker that comes when nobody is left.
if redis.call('HSETNX', KEYS[1], 'stop', ARGV[3]) == 1 then redis.call('HSET', KEYS[1], 'detail', ARGV[4]) end
