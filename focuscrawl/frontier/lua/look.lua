-- Says when something can be leased.
--
-- uses: places bands ranks queue ready
-- ARGV[3]  owners of hosts, one a line after the everybody of the first, empty line
-- Returns the time and when the next queued entry can be leased at the earliest, '' when nothing is queued.
if M.queued == 0 then return {string.format('%.17g', now), ''} end
advance(M.per_host)
local at = math.huge
for owner in string.gmatch(ARGV[3] .. '\n', '(.-)\n') do
  if redis.call('ZCARD', P .. 'ready:' .. owner) > 0 then at = now end
end
local function first(name)
  return tonumber(redis.call('ZRANGE', P .. name, 0, 0, 'WITHSCORES')[2] or math.huge)
end
at = math.min(at, first('timed'), first('wait'))
if M.full > 0 then
  -- A host at its limit goes on when a lease ends; at the latest, when one can be reaped.
  at = math.min(at, math.max(now, first('leases')))
end
flush()
return {string.format('%.17g', now), string.format('%.17g', at)}
