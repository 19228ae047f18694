-- Hosts, and groups on hosts (buckets). Both are read once a script and written back by flush().
--
-- hid    hash: host name -> id, 4 bytes
-- host   hash: id -> what HOST packs .. owner .. name. Unix seconds; delay -1 for the crawl's; `ranked` buckets have an
--        entry that may be leased, `best` is the best of them with its rank and seq, `next` the second with its own;
--        `place` says where the host stands, at `at` and `at_seq` in the sorted set of that place
-- gb     hash: group name, or the host's without a group -> ids of its buckets, 4 bytes each
-- b      hash: id -> what BUCKET packs .. group name. `size` entries are queued, `out` leased; `has` is 1 when one may
--        be leased, the best having `rank` and `seq`; `first` and `last` number its bands, see _bands.lua
-- go     hash: group (or host) name -> offset
-- A rank is (-priority in steps of 2^-52, seq), the smaller the better; seq is 5 bytes, and counts entries in the order
-- of discovery.
local HOST, BUCKET = '>dddI4I4I4dc5c4dc5c4Bdc5B', '>c4I4I4ddc5BI4I4'
local NOWHERE, READY, TIMED, FULL = 0, 1, 2, 3
local NO_SEQ, NO_ID = '\0\0\0\0\0', '\0\0\0\0'
local H, B = {}, {}

local function read_host(id, text)
  local delay, hold, asked, flying, n, ranked, rank, seq, best, next_rank, next_seq, next, place, at, at_seq, size, from =
    read(HOST, text)
  local h = {id = id, delay = delay, hold = hold, asked = asked, flying = flying, n = n, ranked = ranked, rank = rank,
    seq = seq, best = best, next_rank = next_rank, next_seq = next_seq, next = next, place = place, at = at,
    at_seq = at_seq, owner = sub(text, from, from + size - 1), name = sub(text, from + size), stale = false,
    dirty = false, leased = false}
  H[id] = h
  return h
end

local function host(id)
  return H[id] or read_host(id, call('HGET', HOSTS, id))
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
    best = NO_ID, next_rank = 0, next_seq = NO_SEQ, next = NO_ID, place = NOWHERE, at = 0, at_seq = NO_SEQ, owner = '',
    name = name}
  return H[id]
end

local function read_bucket(id, text)
  local hid, size, out, offset, rank, seq, has, first, last, from = read(BUCKET, text)
  local b = {id = id, host = host(hid), group = sub(text, from), size = size, out = out, offset = offset, rank = rank,
    seq = seq, has = has, first = first, last = last, stale = false, dirty = false, only = false}
  B[id] = b
  return b
end

local function bucket(id)
  return B[id] or read_bucket(id, call('HGET', BUCKETS, id))
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
