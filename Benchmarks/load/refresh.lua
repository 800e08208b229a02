-- Refresh with real rotation: each answer's new token goes back into the pool, so no token is ever sent twice.
-- From the environment: TOKENS (a file, one refresh token a line; more of them than connections), BODY (the rest of the
-- form), DPOP (a header value, may be missing).
local threads = {}
function setup(thread) table.insert(threads, thread) end

function init()
  good, bad, dry, sample = 0, 0, 0, ""
  pool, head, tail = {}, 1, 0
  for line in io.lines(os.getenv("TOKENS")) do
    tail = tail + 1
    pool[tail] = line
  end
  form = os.getenv("BODY") .. "&refresh_token="
  headers = { ["Content-Type"] = "application/x-www-form-urlencoded", ["DPoP"] = os.getenv("DPOP") }
end

function request()
  local token = pool[head]
  if token then
    pool[head] = nil
    head = head + 1
  else
    dry = dry + 1
    token = "none-left"
  end
  return wrk.format("POST", nil, headers, form .. token)
end

function response(status, _, body)
  local successor = string.match(body, '"refresh_token"%s*:%s*"([^"]+)"')
  if status == 200 and successor and string.find(body, '"access_token"', 1, true) then
    good = good + 1
    tail = tail + 1
    pool[tail] = successor
  else
    bad = bad + 1
    if sample == "" then sample = status .. " " .. string.sub(body, 1, 200) end
  end
end

function done()
  local good, bad, dry, sample = 0, 0, 0, ""
  for _, thread in ipairs(threads) do
    good, bad, dry = good + thread:get("good"), bad + thread:get("bad"), dry + thread:get("dry")
    if sample == "" then sample = thread:get("sample") end
  end
  io.write(string.format("CHECKED good=%d bad=%d dry=%d elapsed=0 %s\n", good, bad, dry, sample))
end
