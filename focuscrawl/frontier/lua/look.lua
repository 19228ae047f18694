-- Says when something can be leased.
--
-- uses: places bands ranks queue ready patience
-- ARGV[3]  pages all workers may fetch together, 0 for any number, -1 for the quota of a partition, which does not matter
--          here: while they are all leased, look again in a second
-- ARGV[4]  rank beyond which nothing counts, 'inf' for none
-- ARGV[5]  seconds until its host may be asked that a better link is waited for at most, 0 for a fleet that does not wait
-- Returns the time, when the next queued entry can be leased at the earliest, '' when nothing is queued, and how many
-- hosts are waited for though others are ready.
advance(M.per_host)
if M.queued == 0 then
  flush()
  return {string.format('%.17g', now), '', 0}
end
local at, worst = math.huge, ARGV[4] == 'inf' and math.huge or tonumber(ARGV[4])
local function first(name)
  return tonumber(call('ZRANGE', P .. name, 0, 0, 'WITHSCORES')[2] or math.huge)
end
local function first_timed()
  if worst == math.huge then return first('timed') end
  local hosts = call('ZRANGE', TIMES, 0, 999, 'WITHSCORES') -- those on hold, and a moment after each request the others
  for i = 1, #hosts, 2 do
    if host(hosts[i]).rank <= worst then return tonumber(hosts[i + 1]) end
  end
  return math.huge
end
local ready, waits_for = first('ready:'), 0
for _, owner in ipairs(call('SMEMBERS', P .. 'owners')) do
  ready = math.min(ready, first('ready:' .. owner))
end
if ready < math.huge and ready <= worst then
  at = now
  if tonumber(ARGV[5]) > 0 then
    read_waited()
    if since >= 0 and upto > now then
      at, waits_for = upto, hosts_before(ready, tonumber(ARGV[5]))
    end
  end
end
at = math.min(at, first_timed(), first('wait'))
if M.full > 0 then
  -- A host at its limit goes on when a lease ends; at the latest, when one can be reaped.
  at = math.min(at, math.max(now, first('leases')))
end
flush()
if at == math.huge then return {string.format('%.17g', now), '', 0} end
local limit = tonumber(ARGV[3])
if limit > 0 and M.pages + call('ZCARD', LEASES) >= limit then at = math.max(at, now + 1) end
return {string.format('%.17g', now), string.format('%.17g', at), waits_for}
