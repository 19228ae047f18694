-- Hosts, and groups on hosts (buckets). Both are read once a script and written back by flush().
--
-- hid    hash: host name -> id, 4 bytes
-- host   hash: id -> what HOST packs .. owner .. name. Unix seconds; delay -1 for the crawl's; `ranked` buckets have an
--        entry that may be leased, `best` is the best of them with its rank and seq; `place` says where the host stands,
--        at `at` and `at_seq` in the sorted set of that place
-- gb     hash: group name, or the host's without a group -> ids of its buckets, 4 bytes each
-- b      hash: id -> what BUCKET packs .. group name. `size` entries are queued, `out` leased; `has` is 1 when one may
--        be leased, the best having `rank` and `seq`; `first` and `last` number its bands, see _bands.lua
-- go     hash: group (or host) name -> offset
-- A rank is (-priority, seq), the smaller the better; seq is 5 bytes, and counts entries in the order of discovery.
local HOST, BUCKET = '>dddI4I4I4dc5c4Bdc5B', '>c4I4I4ddc5BI4I4'
local NOWHERE, READY, TIMED, FULL = 0, 1, 2, 3
local NO_SEQ, NO_ID = '\0\0\0\0\0', '\0\0\0\0'
local H, B = {}, {}

local function host(id)
  local h = H[id]
  if not h then
    local text = call('HGET', HOSTS, id)
    h = {id = id}
    local size, from
    h.delay, h.hold, h.asked, h.flying, h.n, h.ranked, h.rank, h.seq, h.best, h.place, h.at, h.at_seq, size, from =
      read(HOST, text)
    h.owner, h.name = sub(text, from, from + size - 1), sub(text, from + size)
    H[id] = h
  end
  return h
end

local function host_named(name)
  local id = call('HGET', P .. 'hid', name)
  if id then
    return host(id)
  end
  add('hids', 1)
  id = pack('>I4', M.hids)
  call('HSET', P .. 'hid', name, id)
  H[id] = {id = id, delay = -1, hold = 0, asked = -math.huge, flying = 0, n = 0, ranked = 0, rank = 0, seq = NO_SEQ,
    best = NO_ID, place = NOWHERE, at = 0, at_seq = NO_SEQ, owner = '', name = name}
  return H[id]
end

local function bucket(id)
  local b = B[id]
  if not b then
    local text = call('HGET', BUCKETS, id)
    b = {id = id}
    local hid, from
    hid, b.size, b.out, b.offset, b.rank, b.seq, b.has, b.first, b.last, from = read(BUCKET, text)
    b.host, b.group = host(hid), sub(text, from)
    B[id] = b
  end
  return b
end

local function bucket_named(name, group)
  local h = host_named(name)
  local called = group == '' and name or group
  local ids = call('HGET', P .. 'gb', called) or ''
  for at = 1, #ids, 4 do -- one, as a rule: groups belong to a host
    local b = bucket(sub(ids, at, at + 3))
    if b.host == h and b.group == group then return b end
  end
  add('bids', 1)
  local id = pack('>I4', M.bids)
  call('HSET', P .. 'gb', called, ids .. id)
  local offset = tonumber(call('HGET', P .. 'go', called) or 0)
  B[id] = {id = id, host = h, group = group, size = 0, out = 0, offset = offset, rank = 0, seq = NO_SEQ, has = 0,
    first = 1, last = 1, dirty = true}
  return B[id]
end

-- Forgets a bucket that holds nothing; its offset stays.
local function drop(b)
  local called = b.group == '' and b.host.name or b.group
  local ids, rest = call('HGET', P .. 'gb', called), {}
  for at = 1, #ids, 4 do
    local id = sub(ids, at, at + 3)
    if id ~= b.id then rest[#rest + 1] = id end
  end
  if rest[1] then
    call('HSET', P .. 'gb', called, table.concat(rest))
  else
    call('HDEL', P .. 'gb', called)
  end
  call('HDEL', BUCKETS, b.id)
  call('DEL', P .. 'd:' .. b.id)
end
