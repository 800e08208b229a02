-- One unchanging form to the token endpoint; every answer is looked at, and a wrong one fails the run.
-- From the environment: BODY (the form), AUTHORIZATION and DPOP (header values, may be missing).
local threads = {}
function setup(thread) table.insert(threads, thread) end

function init()
  good, bad, sample = 0, 0, ""
  wrk.method = "POST"
  wrk.body = os.getenv("BODY")
  wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
  wrk.headers["Authorization"] = os.getenv("AUTHORIZATION")
  wrk.headers["DPoP"] = os.getenv("DPOP")
end

function response(status, _, body)
  if status == 200 and string.find(body, '"access_token"', 1, true) then
    good = good + 1
  else
    bad = bad + 1
    if sample == "" then sample = status .. " " .. string.sub(body, 1, 200) end
  end
end

function done()
  local good, bad, sample = 0, 0, ""
  for _, thread in ipairs(threads) do
    good, bad = good + thread:get("good"), bad + thread:get("bad")
    if sample == "" then sample = thread:get("sample") end
  end
  io.write(string.format("CHECKED good=%d bad=%d dry=0 %s\n", good, bad, sample))
end
