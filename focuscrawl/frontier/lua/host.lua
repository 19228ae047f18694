-- Sets the delay of a host, or the time until which it is left alone.
--
-- uses: places bands ranks
-- ARGV[3]  host    ARGV[4]  seconds between two leases, '' to keep    ARGV[5]  Unix time, '' to keep
local h = host_named(ARGV[3])
h.delay = tonumber(ARGV[4]) or h.delay
h.hold = tonumber(ARGV[5]) or h.hold
h.stale, h.dirty = true, true
flush()
