-- Changes how many pages a partition may fetch in all: its quota, which grant.lua has promised it.
--
-- ARGV[3]  pages to add, '' to take back what is neither fetched nor leased
-- Keys: meta (quota). Returns how many were taken back, below 0 where more was fetched and leased than the quota.
local quota = tonumber(call('HGET', KEYS[1], 'quota') or 0)
if ARGV[3] ~= '' then
  call('HSET', KEYS[1], 'quota', quota + tonumber(ARGV[3]))
  return 0
end
local used = M.pages + call('ZCARD', LEASES)
call('HSET', KEYS[1], 'quota', used)
return quota - used
