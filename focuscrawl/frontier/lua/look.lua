-- Says when something can be leased.
--
-- uses: places bands ranks queue ready
-- ARGV[3]  pages all workers may fetch together, 0 for any number, -1 for the quota of a partition, which does not matter
--          here: while they are all leased, look again in a second
-- Returns the time and when the next queued entry can be leased at the earliest, '' when nothing is queued.
advance(M.per_host)
if M.queued == 0 then
  flush()
  return {string.format('%.17g', now), ''}
end
local at = math.huge
if call('ZCARD', P .. 'ready:') > 0 then at = now end
for _, owner in ipairs(call('SMEMBERS', P .. 'owners')) do
  if call('ZCARD', P .. 'ready:' .. owner) > 0 then at = now end
end
local function first(name)
  return tonumber(call('ZRANGE', P .. name, 0, 0, 'WITHSCORES')[2] or math.huge)
end
at = math.min(at, first('timed'), first('wait'))
if M.full > 0 then
  -- A host at its limit goes on when a lease ends; at the latest, when one can be reaped.
  at = math.min(at, math.max(now, first('leases')))
end
flush()
local limit = tonumber(ARGV[3])
if limit > 0 and M.pages + call('ZCARD', LEASES) >= limit then at = math.max(at, now + 1) end
return {string.format('%.17g', now), string.format('%.17g', at)}
