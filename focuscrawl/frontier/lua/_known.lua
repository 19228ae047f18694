-- URLs whose work is over: sets of integers, small enough to stay intsets (8 bytes a URL).
--
-- k:<n>  set; the low 11 bits of a key and as many more as needed choose n, the other 53 bits are the member, which a
--        Lua number holds exactly. Linear hashing (Litwin 1980): when the mean size passes 200, the next bucket in turn
--        is split, so that the largest stays below 512 (set-max-intset-entries) and no call does more than a few splits.
local BASE, MEAN = 2048, 200

local function known_place(key)
  local high, low = read('>I4I4', key)
  local rest = high * 2097152 + floor(low / BASE)
  local width = 2 ^ M.level
  local n = low % BASE + BASE * (rest % width)
  if n < M.split then
    n = low % BASE + BASE * (rest % (2 * width))
  end
  return P .. 'k:' .. n, string.format('%.0f', rest)
end

local function is_known(key)
  local name, member = known_place(key)
  return call('SISMEMBER', name, member) == 1
end

local function split_known()
  local width = 2 ^ M.level
  local from, to = P .. 'k:' .. M.split, P .. 'k:' .. (M.split + BASE * width)
  local moved = {}
  for _, member in ipairs(call('SMEMBERS', from)) do
    if floor(tonumber(member) / width) % 2 == 1 then
      moved[#moved + 1] = member
    end
  end
  for i = 1, #moved, 1000 do
    call('SADD', to, unpack(moved, i, math.min(i + 999, #moved)))
    call('SREM', from, unpack(moved, i, math.min(i + 999, #moved)))
  end
  M.split = M.split + 1
  if M.split == BASE * width then
    M.level, M.split = M.level + 1, 0
  end
end

-- Remembers a key for ever; false when it was known.
local function remember(key)
  local name, member = known_place(key)
  if call('SADD', name, member) == 0 then
    return false
  end
  add('known', 1)
  if M.known > MEAN * (BASE * 2 ^ M.level + M.split) then
    split_known()
  end
  return true
end
