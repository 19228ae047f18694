-- Moves all queued entries of groups, each at the cost of one update a bucket.
--
-- uses: places bands ranks
-- ARGV[3…]  group (or host) name, offset, …
-- Returns how many have changed.
local count = 0
for i = 3, #ARGV, 2 do
  local group, offset = ARGV[i], tonumber(ARGV[i + 1])
  if tonumber(redis.call('HGET', P .. 'go', group) or 0) ~= offset then
    redis.call('HSET', P .. 'go', group, ARGV[i + 1])
    local ids = redis.call('HGET', P .. 'gb', group) or ''
    for at = 1, #ids, 4 do
      local b = bucket(string.sub(ids, at, at + 3))
      b.offset, b.stale, b.dirty = offset, true, true
    end
    count = count + 1
  end
end
flush()
return count
