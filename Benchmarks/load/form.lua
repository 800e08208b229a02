-- Forms to the server; every answer is looked at, and a wrong one fails the run.
-- From the environment: BODY (the form), MUST (what a right answer's body holds), AUTHORIZATION, ACCEPT and DPOP (header
-- values, may be missing). FORMS names a file with one form a line to send instead of BODY, PROOFS one with a DPoP proof a line; each
-- line is sent once, and the load ends with the last.
local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds, nanoseconds; } moment; int clock_gettime(int, moment *);")
local CONNECTIONS = 64
local threads = {}
function setup(thread) table.insert(threads, thread) end

-- wrk divides by the time that it was told to take, also where the lines have run out before.
local function now()
  local time = ffi.new("moment")
  ffi.C.clock_gettime(1, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

local function lines(path)
  local list = {}
  if path then
    for line in io.lines(path) do list[#list + 1] = line end
  end
  return list
end

function init()
  good, bad, sample, sent, began, ended = 0, 0, "", 0, 0, 0
  must, body = os.getenv("MUST"), os.getenv("BODY")
  forms, proofs = lines(os.getenv("FORMS")), lines(os.getenv("PROOFS"))
  last = math.max(#forms, #proofs)
  headers = {
    ["Content-Type"] = "application/x-www-form-urlencoded",
    ["Authorization"] = os.getenv("AUTHORIZATION"),
    ["Accept"] = os.getenv("ACCEPT"),
    ["DPoP"] = os.getenv("DPOP"),
  }
  unchanging = wrk.format("POST", nil, headers, body)
end

function request()
  if began == 0 then began = now() end
  if last == 0 then return unchanging end
  sent = sent + 1
  -- Connections that ask for more than there is repeat the last line; their answers are not counted.
  local turn = math.min(sent, last)
  headers["DPoP"] = proofs[turn] or headers["DPoP"]
  return wrk.format("POST", nil, headers, forms[turn] or body)
end

function response(status, _, answer)
  if last > 0 and good + bad >= last - CONNECTIONS then return wrk.thread:stop() end
  ended = now()
  if (status == 200 or status == 201) and string.find(answer, must, 1, true) then
    good = good + 1
  else
    bad = bad + 1
    if sample == "" then sample = status .. " " .. string.sub(answer, 1, 200) end
  end
end

function done()
  local good, bad, sample, elapsed = 0, 0, "", 0
  for _, thread in ipairs(threads) do
    good, bad = good + thread:get("good"), bad + thread:get("bad")
    elapsed = math.max(elapsed, thread:get("ended") - thread:get("began"))
    if sample == "" then sample = thread:get("sample") end
  end
  io.write(string.format("CHECKED good=%d bad=%d dry=0 elapsed=%.6f %s\n", good, bad, elapsed, sample))
end
