-- Says how many fingerprints of earlier crawls there are, and whether one of them is this one.
--
-- uses: known
-- ARGV[3]  fingerprint, 8 bytes
-- Keys beside those of the parts: meta (imported). Returns the number, and 1 or 0.
local number = tonumber(call('HGET', KEYS[1], 'imported') or 0)
return {number, number > 0 and is_known(ARGV[3]) and 1 or 0}
