-- Promises pages of the budget to partitions; the sum of their quotas is never more than what was promised.
--
-- ARGV[3]  pages that are asked for, below 0 to give some back
-- ARGV[4]  pages of the whole crawl, '' to take note of what a partition has fetched without a promise, or is to give back
-- ARGV[5]  sum of the quotas of all partitions, '' where nobody has added them up
-- ARGV[6]  seconds since the last change after which promises that no quota has are those of a worker that has died
-- Keys: meta (granted, granted_at). Returns how many are promised now, how many in all, and 1 where the quotas should be
-- added up: the last change is so long ago.
local meta = call('HMGET', KEYS[1], 'granted', 'granted_at')
local granted, wanted, sum = tonumber(meta[1] or 0), tonumber(ARGV[3]), tonumber(ARGV[5])
local is_old = now - tonumber(meta[2] or now) >= tonumber(ARGV[6])
if sum and is_old and sum < granted then granted = sum end
if wanted > 0 and ARGV[4] ~= '' then wanted = math.max(0, math.min(wanted, tonumber(ARGV[4]) - granted)) end
call('HSET', KEYS[1], 'granted', granted + wanted)
if wanted ~= 0 or ARGV[4] == '' or not meta[2] then call('HSET', KEYS[1], 'granted_at', now) end
return {wanted, granted + wanted, is_old and 1 or 0}
