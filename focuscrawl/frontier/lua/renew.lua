-- Lets valid leases last longer.
--
-- uses: queue
-- ARGV[3]  seconds from now           ARGV[4]  name of the worker
-- ARGV[5]  the leases: key (8 bytes), token (double), one after the other
-- Keys beside those of the parts: workers (sorted set). Returns how many were valid.
local expires, renewed = now + tonumber(ARGV[3]), 0
for at = 1, #ARGV[5], 16 do
  local key, token = read('>c8d', ARGV[5], at)
  local e = entry(key)
  if e and e.token == token then
    call('ZADD', LEASES, expires, key)
    renewed = renewed + 1
  end
end
call('ZADD', P .. 'workers', now, ARGV[4])
return renewed
