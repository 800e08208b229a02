-- Fetches authorization codes with the cookies of browsers that are signed in, in turns, and writes them to a file, one a line.
-- From the environment: PATHQ (path and query of the authorization request), COOKIES (a file with a Cookie header a
-- line), CODES (the file), COUNT (how many).
function init()
  count, wanted = 0, tonumber(os.getenv("COUNT"))
  file = assert(io.open(os.getenv("CODES"), "w"))
  file:setvbuf("no")
  path, cookies, turn = os.getenv("PATHQ"), {}, 0
  for cookie in io.lines(os.getenv("COOKIES")) do cookies[#cookies + 1] = cookie end
end

function request()
  turn = turn % #cookies + 1
  return wrk.format("GET", path, { ["Cookie"] = cookies[turn] })
end

function response(_, headers, _)
  local location = headers["Location"] or headers["location"] or ""
  local code = string.match(location, "[?&]code=([^&]+)")
  if code and count < wanted then
    count = count + 1
    file:write(code, "\n")
  end
  if count >= wanted then wrk.thread:stop() end
end
