package problem

// Faults are the rows of the codes that stop a request, whatever it asked for.
// They have no example: a request breaks them, not a document.
var Faults = []Rule{
	{
		Code: BadRequest, Severity: Error, Title: "The request is malformed.",
		Why: "A version, parameter, cursor or body that cannot be read is not guessed at. The path names the parameter where there is one.",
	},
	{
		Code: NotFound, Severity: Error, Title: "What the request names does not exist.",
		Why: "The version, element, symbol, icon variant, shape or route is unknown here. The hint names what is near.",
	},
	{
		Code: MethodNotAllowed, Severity: Error, Title: "The route exists, but not for this method.",
		Why: "The Allow header lists the methods that it answers.",
	},
	{
		Code: PayloadTooLarge, Severity: Error, Title: "The request body, or the resolved document, is too large.",
		Why: "Bodies and resolved documents are bounded so that one caller cannot take what all share.",
	},
	{
		Code: UnsupportedMediaType, Severity: Error, Title: "The request body is compressed.",
		Why: "A compressed body can grow without bound when it is read, so that only plain ones are.",
	},
	{
		Code: RateLimited, Severity: Error, Title: "The caller has used up its requests for now.",
		Why: "The Retry-After header says how many seconds are left until there are new ones.",
	},
	{
		Code: InternalError, Severity: Error, Title: "Something went wrong inside Placard.",
		Why: "It is logged under the X-Request-Id of the answer; please report that.",
	},
	{
		Code: UpstreamError, Severity: Error, Title: "The place where releases are kept cannot be read.",
		Why: "Releases already in memory go on being served; what is not in memory has to wait until the store is back.",
	},
	{
		Code: Overloaded, Severity: Error, Title: "Too many requests are being answered at once.",
		Why: "A server that takes on more than it can do serves nobody. The Retry-After header says when to try again.",
	},
	{
		Code: NotReady, Severity: Error, Title: "The server has nothing to serve yet.",
		Why: "It has just started, or its store is empty or cannot be read.",
	},
	{
		Code: Timeout, Severity: Error, Title: "The request took longer than its route allows.",
		Why: "Every route has a budget of time, and of computing where documents are resolved.",
	},
}
