-- What every script starts with: is this still our crawl, what time is it, and the crawl's numbers.
--
-- KEYS[1]  "{fc:<crawl>}:meta"; all keys of a crawl start with "{fc:<crawl>}:" and lie in its cluster slot
-- ARGV[1]  epoch the caller knows; another one means that Redis has lost the crawl or that it was begun anew
-- ARGV[2]  Unix time in seconds, '' for the server's own clock
-- meta     hash: epoch, and the numbers named below; M holds them, flush() writes those that have changed
local P = string.sub(KEYS[1], 1, -5)
local NUMBERS = {'seq', 'bids', 'hids', 'tokens', 'known', 'level', 'split', 'delay', 'attempts', 'per_host',
  'queued', 'done', 'failed', 'refused', 'hosts', 'groups', 'full', 'pages', 'relevant'}
local M, M_before = {}, {}
do
  local values = redis.call('HMGET', KEYS[1], 'epoch', unpack(NUMBERS))
  if values[1] ~= ARGV[1] then
    return redis.error_reply(values[1] and 'CRAWLANEW another crawl has begun' or 'CRAWLGONE the crawl is gone')
  end
  for i, name in ipairs(NUMBERS) do
    M[name] = tonumber(values[i + 1] or 0)
    M_before[name] = M[name]
  end
end
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] + time[2] / 1000000
end
local outcomes = {'done', 'failed', 'refused'}

local function add(name, n)
  M[name] = M[name] + n
end
