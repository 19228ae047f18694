-- Opens a crawl: makes it, or takes it up.
--
-- KEYS[1]  "{fc:<crawl>}:meta"
-- ARGV[1]  epoch to give a new crawl              ARGV[2]  Unix time in seconds, '' for the server's clock
-- ARGV[3]  version of this layout                 ARGV[4]  name of the worker
-- ARGV[5]  seconds between two leases of a host   ARGV[6]  attempts of an entry
-- ARGV[7]  name of the dead worker whose place this one takes, '' for none
-- Keys: meta, commands (list), workers (sorted set: worker -> time it was last heard of).
-- Returns epoch, version, server time, 1 for a new crawl. One delay for all workers: while another one is alive, the
-- longer delay counts; of the attempts, those of whoever came last. For the first to come, a `stop` given before is over.
local P = string.sub(KEYS[1], 1, -5)
local time = redis.call('TIME')
local now = tonumber(ARGV[2]) or time[1] + time[2] / 1000000
local new = redis.call('HSETNX', KEYS[1], 'epoch', ARGV[1])
if new == 1 then
  redis.call('HSET', KEYS[1], 'version', ARGV[3], 'begun', now)
end
local version = redis.call('HGET', KEYS[1], 'version')
if version == ARGV[3] then
  local delay = tonumber(ARGV[5])
  local alive = redis.call('ZCOUNT', P .. 'workers', now - 60, '+inf')
  if tonumber(redis.call('ZSCORE', P .. 'workers', ARGV[7]) or 0) >= now - 60 then alive = alive - 1 end
  if alive > 0 then
    delay = math.max(delay, tonumber(redis.call('HGET', KEYS[1], 'delay') or 0))
  else
    redis.call('HDEL', KEYS[1], 'stop')
    redis.call('HSET', KEYS[1], 'past', redis.call('LLEN', P .. 'commands'))
  end
  redis.call('HSET', KEYS[1], 'delay', delay, 'attempts', ARGV[6])
  redis.call('ZADD', P .. 'workers', now, ARGV[4])
end
return {redis.call('HGET', KEYS[1], 'epoch'), version, string.format('%.6f', time[1] + time[2] / 1000000), new}
