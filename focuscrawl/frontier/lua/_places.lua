-- Hosts, groups on hosts (buckets), and where a host stands: ready, timed, at its limit, or nowhere.
--
-- hid        hash: host name -> id, 4 bytes             bid   hash: host id .. group name -> id, 4 bytes
-- host       hash: id -> what HOST packs .. owner .. name; times in Unix seconds, delay -1 for the crawl's
-- b          hash: id -> what BUCKET packs .. group name
-- go, gb     hashes: group (or host) name -> its offset; -> the ids of its buckets
-- g:<host>   sorted set: seq of the best entry .. bucket id -> -priority; the first is the host's best group
-- ready:<w>  sorted set: the same of the best bucket .. host id -> -priority; <w> owns the host, '' is everybody
-- timed      sorted set: host id -> time it is ready
local HOST, BUCKET = '>dddI4I4Bdc5B', '>c4I4ddc5B'
local NOWHERE, READY, TIMED, FULL = 0, 1, 2, 3
local NO_SEQ = '\0\0\0\0\0'
local H, B = {}, {}

local function host(id)
  local h = H[id]
  if not h then
    local text = redis.call('HGET', P .. 'host', id)
    h = {id = id}
    local size, at
    h.delay, h.hold, h.asked, h.flying, h.n, h.place, h.rank, h.seq, size, at = struct.unpack(HOST, text)
    h.owner, h.name = string.sub(text, at, at + size - 1), string.sub(text, at + size)
    H[id] = h
  end
  return h
end

local function host_named(name)
  local id = redis.call('HGET', P .. 'hid', name)
  if id then
    return host(id)
  end
  add('hids', 1)
  id = struct.pack('>I4', M.hids)
  redis.call('HSET', P .. 'hid', name, id)
  H[id] = {id = id, delay = -1, hold = 0, asked = -math.huge, flying = 0, n = 0, place = NOWHERE, rank = 0, seq = NO_SEQ,
    owner = '', name = name}
  return H[id]
end

local function bucket(id)
  local b = B[id]
  if not b then
    local text = redis.call('HGET', P .. 'b', id)
    b = {id = id}
    local hid, at
    hid, b.size, b.offset, b.rank, b.seq, b.has, at = struct.unpack(BUCKET, text)
    b.host, b.group = host(hid), string.sub(text, at)
    B[id] = b
  end
  return b
end

local function bucket_named(name, group)
  local h = host_named(name)
  local id = redis.call('HGET', P .. 'bid', h.id .. group)
  if id then
    return bucket(id)
  end
  add('bids', 1)
  id = struct.pack('>I4', M.bids)
  redis.call('HSET', P .. 'bid', h.id .. group, id)
  local called = group == '' and name or group
  redis.call('HSET', P .. 'gb', called, (redis.call('HGET', P .. 'gb', called) or '') .. id)
  local offset = tonumber(redis.call('HGET', P .. 'go', called) or 0)
  B[id] = {id = id, host = h, group = group, size = 0, offset = offset, rank = 0, seq = NO_SEQ, has = 0}
  return B[id]
end
