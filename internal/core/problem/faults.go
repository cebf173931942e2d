package problem

// Faults documents the codes of problems that abort a request. They have no
// examples, because they concern requests rather than documents.
var Faults = []Rule{
	{
		Code: BadRequest, Severity: Error, Title: "The request is malformed.",
		Why: "A version, parameter, cursor or body cannot be parsed. The path names the parameter, if there is one.",
	},
	{
		Code: NotFound, Severity: Error, Title: "The requested resource does not exist.",
		Why: "The version, element, symbol, icon variant, shape or route is unknown. The hint suggests similar names.",
	},
	{
		Code: Gone, Severity: Error, Title: "The version was retired, and has a successor.",
		Why: "The hint and the Link header name the version that replaces it.",
	},
	{
		Code: MethodNotAllowed, Severity: Error, Title: "The route does not support this method.",
		Why: "The Allow header lists the supported methods.",
	},
	{
		Code: PayloadTooLarge, Severity: Error, Title: "The request body or the resolved document is too large.",
		Why: "Sizes are limited so that one client cannot use up the memory that all clients share.",
	},
	{
		Code: UnsupportedMediaType, Severity: Error, Title: "The request body is compressed.",
		Why: "A compressed body can expand without limit, so only uncompressed bodies are accepted.",
	},
	{
		Code: RateLimited, Severity: Error, Title: "The client has reached its rate limit.",
		Why: "The Retry-After header gives the number of seconds to wait.",
	},
	{
		Code: InternalError, Severity: Error, Title: "An internal error occurred in Placard.",
		Why: "The error is logged under the X-Request-Id of the response; please report that id.",
	},
	{
		Code: UpstreamError, Severity: Error, Title: "The release store cannot be read.",
		Why: "Releases in memory are still served; all others are unavailable until the store can be read again. The Retry-After header says when to retry.",
	},
	{
		Code: Overloaded, Severity: Error, Title: "The server is handling too many requests.",
		Why: "Rejecting some requests keeps the server responsive for the others. The Retry-After header says when to retry.",
	},
	{
		Code: NotReady, Severity: Error, Title: "The server has no releases to serve yet.",
		Why: "It has just started, or its store is empty or cannot be read.",
	},
	{
		Code: Timeout, Severity: Error, Title: "The request exceeded the time limit of its route.",
		Why: "Every route has a time limit. Resolving a document also has a limit on processor time.",
	},
}
