-- Queues entries.
--
-- uses: known places bands ranks queue push
-- ARGV[3]   entries, see _push.lua
-- ARGV[4…]  their places: host, group, host, group, …
-- Returns how many were added, raised, known, refused.
local counts = {push(ARGV[3], 4)}
flush()
return counts
