-- Fetches authorization codes with the cookies of a browser that is signed in, and writes them to a file, one a line.
-- From the environment: PATHQ (path and query of the authorization request), COOKIE, CODES (the file), COUNT (how many).
function init()
  count, wanted = 0, tonumber(os.getenv("COUNT"))
  file = assert(io.open(os.getenv("CODES"), "w"))
  file:setvbuf("no")
  message = wrk.format("GET", os.getenv("PATHQ"), { ["Cookie"] = os.getenv("COOKIE") })
end

function request() return message end

function response(_, headers, _)
  local location = headers["Location"] or headers["location"] or ""
  local code = string.match(location, "[?&]code=([^&]+)")
  if code and count < wanted then
    count = count + 1
    file:write(code, "\n")
  end
  if count >= wanted then wrk.thread:stop() end
end
