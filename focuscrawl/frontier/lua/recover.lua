-- Ends what a dead worker has begun: its leases go back to the queue, and it is taken off all lists.
--
-- uses: known places bands ranks queue ends
-- ARGV[3]  name of the dead worker    ARGV[4]  expiries after which an entry counts as failed
-- ARGV[5]  key (8 bytes) and token (double) of the first settlement of its last call, '' when it has made none
-- Keys beside those of the parts: workers, visitors (sorted sets), calls, status, capacity (hashes), trainer (string), taken (hash:
-- dead worker -> how many of its leases were given back; with `calls` it stays until discard.lua).
-- Returns how many leases were given back, now and in earlier calls, and the answer of that call, false when it never came.
local worker, most = ARGV[3], tonumber(ARGV[4])
local returned = 0
for _, key in ipairs(call('ZRANGE', LEASES, 0, -1)) do
  if worker_of(entry(key)) == worker then
    expire(end_lease(key), most)
    returned = returned + 1
  end
end
call('ZREM', P .. 'workers', worker)
call('ZREM', P .. 'visitors', worker)
call('HDEL', P .. 'status', worker)
call('HDEL', P .. 'capacity', worker)
if call('GET', P .. 'trainer') == worker then call('DEL', P .. 'trainer') end
if returned > 0 then call('HINCRBY', P .. 'taken', worker, returned) end
flush()
local last, answer = call('HGET', P .. 'calls', worker), false
if last and sub(last, 1, 16) == ARGV[5] then answer = string.match(last, ' (.*)$', 17) end
return {tonumber(call('HGET', P .. 'taken', worker) or 0), answer}
