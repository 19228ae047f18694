-- Promises pages of the budget to partitions; the sum of their quotas is never more than what was promised.
--
-- ARGV[3]  pages that are asked for, below 0 to give some back
-- ARGV[4]  pages of the whole crawl, '' to take note of what a partition has fetched without a promise
-- Keys: meta (granted). Returns how many are promised now, and how many in all.
local granted, wanted = tonumber(call('HGET', KEYS[1], 'granted') or 0), tonumber(ARGV[3])
if wanted > 0 and ARGV[4] ~= '' then wanted = math.max(0, math.min(wanted, tonumber(ARGV[4]) - granted)) end
call('HSET', KEYS[1], 'granted', granted + wanted)
return {wanted, granted + wanted}
