package newsletter

// Spread tells tests which shard a reader is in.
func Spread(reader string) int { return spread(reader, Shards) }

// PageSize is how many copies are enqueued at once.
const PageSize = pageSize

// IssueKey is where an issue lies.
var IssueKey = issueKey
