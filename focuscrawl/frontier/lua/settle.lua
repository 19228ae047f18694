-- Ends leases, queues what was found on their pages and acknowledges the pages, all or nothing.
--
-- uses: known places bands ranks queue push ends visits
-- ARGV[3]  name of the worker       ARGV[4]  number of its call, of which the answer is kept until the next
-- ARGV[5]  number of settlements    ARGV[6…] three a settlement, then the places of the entries found (host, group, …):
--          1. key (8 bytes), token (double), outcome (1: done, failed, refused), 1 for a fetched page (1), how many more
--             pages are relevant now, how many more are stored (2 each, signed: verdicts on earlier pages are revised),
--             what a visit saw (1, 0 for none), keys of other addresses of the page (8 bytes each)
--          2. the entries found, see _push.lua
--          3. notes of pages that may be visited again, see _visits.lua
-- Keys beside those of the parts: calls (hash: worker -> of its last call: key and token of the first settlement, 16
-- bytes, its number, ' ', its answer).
-- Returns one digit a settlement: 1 for a lease that was valid.
local before = call('HGET', P .. 'calls', ARGV[3])
if before and string.match(before, '^%d+', 17) == ARGV[4] then
  return string.match(before, ' (.*)$', 17) -- made again because its answer was lost
end
local count = tonumber(ARGV[5])
local valid = {}
for i = 0, count - 1 do
  local head = ARGV[6 + 3 * i]
  local key, token, outcome, page, relevant, stored, saw, at = read('>c8dBBhhB', head)
  local e = end_lease(key, token)
  valid[i + 1] = e and '1' or '0'
  if e then
    count_visit(key, saw)
    if outcome == 2 then
      failed(e)
    else
      finish(key, OUTCOMES[outcome])
    end
    for pos = at, #head, 8 do
      also_known(sub(head, pos, pos + 7))
    end
    push(ARGV[7 + 3 * i], 6 + 3 * count)
    note_visits(ARGV[8 + 3 * i])
    add('pages', page)
    add('relevant', relevant)
    add('stored', stored)
  end
end
local answer = table.concat(valid)
call('HSET', P .. 'calls', ARGV[3], sub(ARGV[6], 1, 16) .. ARGV[4] .. ' ' .. answer)
flush()
return answer
