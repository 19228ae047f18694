-- Gives an order to all workers.
--
-- ARGV[3] order, JSON    ARGV[4] most orders a crawl takes
-- Keys: orders (list). Returns its number, 0 when there are too many.
if redis.call('LLEN', P .. 'orders') >= tonumber(ARGV[4]) then return 0 end
return redis.call('RPUSH', P .. 'orders', ARGV[3])
