-- Returns queued, leased, done, failed, refused, hosts, groups.
--
-- Keys: leases (sorted set).
return {M.queued, redis.call('ZCARD', P .. 'leases'), M.done, M.failed, M.refused, M.hosts, M.groups}
