-- Gives queued entries other scores.
--
-- uses: places bands ranks queue
-- ARGV[3]  key (8 bytes), score (double), one after the other
-- Returns how many have changed.
local count = 0
for at = 1, #ARGV[3], 16 do
  local key, score = read('>c8d', ARGV[3], at)
  local e = entry(key)
  if e and not e.token and e.score ~= score then
    move(e, score)
    count = count + 1
  end
end
flush()
return count
