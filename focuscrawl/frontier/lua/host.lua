-- Sets the delay of a host, or the time until which it is left alone.
--
-- uses: places bands ranks
-- ARGV[3]  host    ARGV[4]  seconds between two leases, '' to keep    ARGV[5]  Unix time, '' to keep
-- ARGV[6]  1 to keep what is longer already
local h = host_named(ARGV[3])
local delay, hold = tonumber(ARGV[4]) or h.delay, tonumber(ARGV[5]) or h.hold
if ARGV[6] == '1' then delay, hold = math.max(delay, h.delay), math.max(hold, h.hold) end
h.delay, h.hold, h.stale, h.dirty = delay, hold, true, true
flush()
