-- Returns the crawl as a whole: queued, leased, done, failed, refused, hosts, groups, pages, relevant, workers heard of
-- in the last minute, why all are to stop ('' while they are to go on), and details of that.
--
-- Keys: leases, workers (sorted sets), meta (stop, detail).
local stop = redis.call('HMGET', KEYS[1], 'stop', 'detail')
return {M.queued, redis.call('ZCARD', P .. 'leases'), M.done, M.failed, M.refused, M.hosts, M.groups, M.pages,
  M.relevant, redis.call('ZCOUNT', P .. 'workers', now - 60, '+inf'), stop[1] or '', stop[2] or ''}
