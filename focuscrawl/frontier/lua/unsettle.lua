-- Undoes a call of settle.lua whose answer never came: its pages were not kept, so they are queued again.
--
-- uses: known places bands ranks queue push ends
-- ARGV[3]  name of the worker       ARGV[4]  number of the call
-- ARGV[5]  number of settlements    ARGV[6…] the first part of each, as settle.lua had it, then the entries of their leases, see
--          _push.lua, and the places of these
-- Links found on the pages stay queued, and other addresses of them known. An undone call counts as never made.
-- Returns how many settlements were undone.
local before = call('HGET', P .. 'calls', ARGV[3])
if not before or string.match(before, '^%d+', 17) ~= ARGV[4] then return 0 end
local valid, count, undone = string.match(before, ' (.*)$', 17), tonumber(ARGV[5]), 0
for i = 1, count do
  local key, _, outcome, page, relevant, stored = read('>c8dBBhh', ARGV[5 + i])
  local name, member = known_place(key)
  -- After a failure that is to be tried again it is in the queue already.
  if sub(valid, i, i) == '1' and not entry(key) and call('SREM', name, member) == 1 then
    add('known', -1)
    add(OUTCOMES[outcome], -1)
    add('pages', -page)
    add('relevant', -relevant)
    add('stored', -stored)
    undone = undone + 1
  end
end
push(ARGV[6 + count], 7 + count)
call('HDEL', P .. 'calls', ARGV[3])
flush()
return undone
