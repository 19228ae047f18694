-- Makes other addresses of pages known that another partition has settled, and counts, already.
--
-- uses: known places bands ranks queue push ends
-- ARGV[3]  keys, 8 bytes each
for at = 1, #ARGV[3], 8 do
  local key = sub(ARGV[3], at, at + 7)
  if entry(key) then
    also_known(key)
  else
    remember(key)
  end
end
flush()
return redis.status_reply('OK')
