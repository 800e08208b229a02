-- Requests from a file, each sent once; every answer is looked at, a wrong one fails the run, and the right ones are written
-- to another file, one a line, in the order in which they came.
-- From the environment: REQUESTS (a line holds a body, or nothing, and, after tabs, its header fields as `name: value`, and as
-- `@/path` or `@GET /path` where the request does not go where the others go, or is no POST), CONTENT_TYPE,
-- MUST (what a right answer's body holds), ANSWERS (the file for them).
local ffi = require("ffi")
ffi.cdef([[
  typedef struct { long seconds, nanoseconds; } moment;
  int clock_gettime(int, moment *);
  int getpid(void);
  int kill(int, int);
]])
local INTERRUPT, AN_HOUR = 2, 3600000
local threads = {}
function setup(thread) table.insert(threads, thread) end

-- wrk divides by the time that it was told to take.
local function now()
  local time = ffi.new("moment")
  ffi.C.clock_gettime(1, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

function init()
  good, bad, sample, claimed, sent, began, ended = 0, 0, "", 0, 0, 0, 0
  must = os.getenv("MUST")
  messages = {}
  for line in io.lines(os.getenv("REQUESTS")) do
    local body = string.match(line, "^[^\t]+")
    local headers = { ["Content-Type"] = body and os.getenv("CONTENT_TYPE") }
    for name, value in string.gmatch(line, "\t([^:\t]+): ([^\t]+)") do headers[name] = value end
    local method, path = string.match(line, "\t@(%u*) ?(/[^\t]*)")
    messages[#messages + 1] = wrk.format(method ~= "" and method or "POST", path, headers, body)
  end
  answers = assert(io.open(os.getenv("ANSWERS"), "w"))
end

-- Asked before each request: a connection that finds none left is done.
function delay()
  if claimed == #messages then return AN_HOUR end
  claimed = claimed + 1
  return 0
end

function request()
  -- wrk looks at one request before it begins.
  if claimed == 0 then return messages[1] end
  if began == 0 then began = now() end
  sent = sent + 1
  return messages[sent]
end

function response(status, _, body)
  ended = now()
  if (status == 200 or status == 201) and string.find(body, must, 1, true) then
    good = good + 1
    answers:write(body, "\n")
  else
    bad = bad + 1
    if sample == "" then sample = status .. " " .. string.sub(body, 1, 200) end
  end
  if good + bad == #messages then
    answers:close()
    wrk.thread:stop()
    -- Otherwise wrk sleeps until its time is over.
    ffi.C.kill(ffi.C.getpid(), INTERRUPT)
  end
end

function done()
  local good, bad, dry, sample, elapsed = 0, 0, 0, "", 0
  for _, thread in ipairs(threads) do
    good, bad = good + thread:get("good"), bad + thread:get("bad")
    dry = dry + thread:get("claimed") - thread:get("good") - thread:get("bad")
    elapsed = math.max(elapsed, thread:get("ended") - thread:get("began"))
    if sample == "" then sample = thread:get("sample") end
  end
  io.write(string.format("CHECKED good=%d bad=%d dry=%d elapsed=%.6f %s\n", good, bad, dry, elapsed, sample))
end
