-- Gives back leases without counting an attempt.
--
-- uses: known places bands ranks queue ends
-- ARGV[3]  seconds until they may be leased again, 0 for at once
-- ARGV[4]  the leases: key (8 bytes), token (double), one after the other
-- Returns how many were valid.
local delay, released = tonumber(ARGV[3]), 0
for at = 1, #ARGV[4], 16 do
  local key, token = read('>c8d', ARGV[4], at)
  local e = end_lease(key, token)
  if e then
    if delay > 0 then e.not_before = now + delay end
    enqueue(e)
    released = released + 1
  end
end
flush()
return released
