-- Gives queued entries other scores.
--
-- uses: places ranks queue
-- ARGV[3]  key (8 bytes), score (double), one after the other
-- Returns how many have changed.
local count = 0
for at = 1, #ARGV[3], 16 do
  local key, score = struct.unpack('>c8d', ARGV[3], at)
  local e = entry(key)
  if e then
    local old, waits = queued_score(e)
    if old and old ~= score then
      e.score = score
      if waits then
        save(e)
      else
        redis.call('ZADD', P .. 'q:' .. e.bid, -score, e.member)
        bucket(e.bid).stale = true
      end
      count = count + 1
    end
  end
end
flush()
return count
