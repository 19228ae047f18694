-- Totals of all workers: queued, leased, done, failed, refused, hosts, groups, pages, relevant, stored, workers heard
-- of in the last minute (focuscrawl/frontier/fleet.py: FleetTotals).
--
-- Keys: leases, workers (sorted sets).
local function totals()
  return {M.queued, call('ZCARD', LEASES), M.done, M.failed, M.refused, M.hosts, M.groups, M.pages, M.relevant,
    M.stored, call('ZCOUNT', P .. 'workers', now - 60, '+inf')}
end
