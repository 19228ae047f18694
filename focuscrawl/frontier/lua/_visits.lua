-- Pages that may be visited again, with what their visits saw (focuscrawl/frontier/redis_visits.py).
--
-- visited  hash: key -> JSON of the page, then JSON of each of its last visits, a line each; no more pages than MOST_PAGES
local MOST_PAGES, MOST_VISITS = 1000000, 16
local VISIT, PAGE, FORGET, NEW = 0, 1, 2, 3
local SAW = {'first', 'unchanged', 'changed', 'moved', 'gone', 'failed'}

-- Notes what a settlement says of pages: key (8 bytes), kind (1 byte: a visit of a page that is there; a page, written
-- anew; a page to forget; a page that is kept as it is where it is there), lengths of page and visit (4 bytes each), page,
-- visit; one note after the other.
local function note_visits(notes)
  local at = 1
  while at <= #notes do
    local key, kind, page, visit
    key, kind, page, visit, at = read('>c8BI4I4', notes, at)
    page, visit, at = sub(notes, at, at + page - 1), sub(notes, at + page, at + page + visit - 1), at + page + visit
    local old = kind ~= FORGET and call('HGET', P .. 'visited', key)
    if kind == FORGET then
      call('HDEL', P .. 'visited', key)
    elseif old and kind ~= NEW or page ~= '' and not old and call('HLEN', P .. 'visited') < MOST_PAGES then
      local from = old and string.find(old, '\n', 1, true)
      local lines = (old and sub(old, from + 1) or '') .. (visit ~= '' and visit .. '\n' or '')
      local _, count = string.gsub(lines, '\n', '\n')
      if count > MOST_VISITS then lines = sub(lines, string.find(lines, '\n', 1, true) + 1) end
      call('HSET', P .. 'visited', key, (page ~= '' and page or sub(old, 1, from - 1)) .. '\n' .. lines)
    end
  end
end

-- Counts what a visit of the round saw; before it ends.
local function count_visit(key, saw)
  if SAW[saw] and call('SISMEMBER', P .. 'visiting', key) == 1 then
    call('HINCRBY', P .. 'round', 'saw:' .. SAW[saw], 1)
  end
end
