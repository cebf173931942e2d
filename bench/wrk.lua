-- Sends the requests in a file, repeatedly. For each request, the file contains a
-- line with its length, followed by its bytes.
local requests = {}
local last = 0

function init(args)
	local file = assert(io.open(args[1], "rb"))
	while true do
		local length = file:read("*n")
		if not length then
			break
		end
		file:read(1)
		requests[#requests + 1] = file:read(length)
	end
	file:close()
end

function request()
	last = last % #requests + 1
	return requests[last]
end

function done(summary)
	local errors = summary.errors
	io.write(string.format("result %d requests, %d failed\n", summary.requests,
		errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
