-- Gives queued entries other scores.
--
-- uses: places bands ranks queue
-- ARGV[3]  key (8 bytes), score (double), one after the other
-- ARGV[4]  score from which on an entry is a page to be visited again, whose score stays: its turn is that of its round
-- Returns how many have changed.
local count, visits = 0, tonumber(ARGV[4])
for at = 1, #ARGV[3], 16 do
  local key, score = read('>c8d', ARGV[3], at)
  local e = entry(key)
  if e and not e.token and e.score ~= score and e.score < visits then
    move(e, score)
    count = count + 1
  end
end
flush()
return count
