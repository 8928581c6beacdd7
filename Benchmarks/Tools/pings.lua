-- What wrk sends: pings of 100 feeds. With `runs` they are starts and ends of runs that have ids of their own. Between the
-- start of a run and its end are as many others as connections have to wait, and more, so that few ends overtake a start.
local FEEDS, OPEN = 100, 256
local prefix, has_runs, count

local function ping(run, action)
  return wrk.format(
    "GET", string.format(
      "%s/feed-%d%s?create=1&rid=00000000-0000-4000-8000-%012x", prefix, run % FEEDS, action, run))
end

function init(arguments)
  prefix, has_runs, count = arguments[1], arguments[2] == "runs", 0
end

function request()
  count = count + 1
  if not has_runs then
    return wrk.format("GET", string.format("%s/feed-%d?create=1", prefix, count % FEEDS))
  end
  -- The first pings start runs; then each second one ends the oldest.
  local later = count - OPEN
  if later <= 0 then return ping(count, "/start") end
  if later % 2 == 1 then return ping((later + 1) / 2, "") end
  return ping(OPEN + later / 2, "/start")
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"pings": %d, "seconds": %f, "p50": %f, "p99": %f, "errors": %d}\n', summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e6, latency:percentile(99) / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
