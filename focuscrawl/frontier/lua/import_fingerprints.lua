-- Remembers what an earlier crawl has fetched, by fingerprints, beside the URLs of this one whose work is over.
--
-- uses: known
-- ARGV[3]  fingerprints, 8 bytes each, one after the other
-- Keys beside those of the parts: meta (imported: how many there are). Returns how many were new.
local count = 0
for at = 1, #ARGV[3], 8 do
  if remember(sub(ARGV[3], at, at + 7)) then count = count + 1 end
end
if count > 0 then call('HINCRBY', KEYS[1], 'imported', count) end
save_numbers()
return count
