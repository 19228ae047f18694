-- What every script starts with: is this still our crawl, what time is it, and the crawl's numbers.
--
-- KEYS[1]  "{fc:<crawl>}:meta"; all keys of a crawl start with "{fc:<crawl>}:" and lie in its cluster slot
-- ARGV[1]  epoch the caller knows; another one means that Redis has lost the crawl or that it was begun anew
-- ARGV[2]  Unix time in seconds, '' for the server's own clock
-- meta     hash: epoch; delay and attempts, as open.lua sets them; n: numbers, doubles in the order they are read.
--          M holds them, flush() writes them back.
local call, sub, floor = redis.call, string.sub, math.floor
local pack, read = struct.pack, struct.unpack
local P = sub(KEYS[1], 1, -5)
-- Names that are used again and again: each concatenation would be a string to make and to collect.
local E, LEASES, WAIT, TIMES = P .. 'e', P .. 'leases', P .. 'wait', P .. 'timed'
local HOSTS, BUCKETS = P .. 'host', P .. 'b'
local PACKED = '>dddddddddddddddddd'
-- Here and elsewhere, tables are made with all their fields at once: each that comes later makes Lua build them anew.
local M, M_before = nil, nil
do
  local meta = call('HMGET', KEYS[1], 'epoch', 'n', 'delay', 'attempts')
  if meta[1] ~= ARGV[1] then
    return redis.error_reply(meta[1] and 'CRAWLANEW another crawl has begun' or 'CRAWLGONE the crawl is gone')
  end
  M_before = meta[2] or string.rep('\0', 144)
  local seq, bids, hids, tokens, known, level, split, per_host, queued, done, failed, refused, hosts, groups, full, pages,
    relevant, stored = read(PACKED, M_before)
  M = {seq = seq, bids = bids, hids = hids, tokens = tokens, known = known, level = level, split = split,
    per_host = math.max(per_host, 1), queued = queued, done = done, failed = failed, refused = refused, hosts = hosts,
    groups = groups, full = full, pages = pages, relevant = relevant, stored = stored, delay = tonumber(meta[3]),
    attempts = tonumber(meta[4])}
end
local now = tonumber(ARGV[2])
if not now then
  local time = call('TIME')
  now = time[1] + time[2] / 1000000
end

local function add(name, n)
  M[name] = M[name] + n
end

-- Calls a command with many arguments, some at a time: an even number, for pairs, which Lua can pass at once.
local function call_with(command, name, args)
  for i = 1, #args, 1000 do
    call(command, name, unpack(args, i, math.min(i + 999, #args)))
  end
end

local function save_numbers()
  local packed = pack(PACKED, M.seq, M.bids, M.hids, M.tokens, M.known, M.level, M.split, M.per_host, M.queued, M.done,
    M.failed, M.refused, M.hosts, M.groups, M.full, M.pages, M.relevant, M.stored)
  if packed ~= M_before then call('HSET', KEYS[1], 'n', packed) end
end
