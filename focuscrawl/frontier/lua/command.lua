-- Gives a command to all workers.
--
-- ARGV[3] command, JSON    ARGV[4] most commands a crawl takes, 0 for `stop`, which is always taken
-- Keys: commands (list), meta (stop: number of the `stop` that stands; open.lua lifts it for the first worker that comes
-- when nobody is left). Returns its number, 0 when there are too many; of a second `stop` the number of the first.
local most = tonumber(ARGV[4])
if most > 0 then
  if call('LLEN', P .. 'commands') >= most then return 0 end
  return call('RPUSH', P .. 'commands', ARGV[3])
end
local standing = tonumber(call('HGET', KEYS[1], 'stop') or 0)
if standing > 0 then return standing end
local number = call('RPUSH', P .. 'commands', ARGV[3])
call('HSET', KEYS[1], 'stop', number)
return number
