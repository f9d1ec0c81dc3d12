package idempotency

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// States of a record. One that was released has a time to live that is over.
const (
	stateClaimed = "claimed"
	stateDone    = "done"
)

// leastMillis is in 1973: a smaller number is no time in milliseconds, and perhaps
// one in seconds, for which it is in 5138.
const leastMillis = 100_000_000_000

// A row is a record as it is in the table.
type row struct {
	state, token, fingerprint string
	// until is when the claim ends; zero in no claim. In one that was released it
	// is before: when the claim ended whose owner's end is unknown, or zero.
	until time.Time
	// before is when an earlier claim ended that this one took over.
	before time.Time
	// expires is when the record counts as absent.
	expires time.Time
	// answer is there where the record is done.
	answer
}

// An answer is what is kept of a run, one of these: the answer as JSON, the object
// that has it, or why there is none.
type answer struct {
	result string
	object lifecycle.Object
	unkept string
}

func (a answer) none() bool { return a.result == "" && a.object.Key == "" && a.unkept == "" }

// put adds the attributes.
func (a answer) put(item store.Item) {
	switch {
	case a.unkept != "":
		item["unkept"] = text(a.unkept)
	case a.object.Key != "":
		item["object"], item["object_bytes"] = text(a.object.Key), number(a.object.Bytes)
	default:
		item["result"] = text(a.result)
	}
}

func readRow(item store.Item) row {
	return row{
		state: str(item["state"]), token: str(item["token"]), fingerprint: str(item["fingerprint"]),
		until: millisIn(item["until_ms"]), before: millisIn(item["before_ms"]),
		expires: time.Unix(num(item[store.ExpiresAt]), 0),
		answer: answer{
			result: str(item["result"]), unkept: str(item["unkept"]),
			object: lifecycle.Object{Key: str(item["object"]), Bytes: num(item["object_bytes"])},
		},
	}
}

// readable tells whether this package can have written the row.
func (r row) readable() bool {
	switch r.state {
	case stateClaimed:
		return r.token != "" && r.until.UnixMilli() >= leastMillis
	case stateDone:
		return !r.none()
	}
	return false
}

// gone tells that the record counts as absent, whether or not DynamoDB has
// deleted it.
func (r row) gone(now time.Time) bool { return r.expires.Unix() <= now.Unix() }

// free is when others may take over the claim: clocks differ.
func (r row) free() time.Time { return r.until.Add(lifecycle.LeaseMargin) }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func str(v types.AttributeValue) string {
	if v, ok := v.(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

// num answers zero for what is absent or no whole number.
func num(v types.AttributeValue) int64 {
	if v, ok := v.(*types.AttributeValueMemberN); ok {
		if n, err := strconv.ParseInt(v.Value, 10, 64); err == nil {
			return n
		}
	}
	return 0
}

func millisIn(v types.AttributeValue) time.Time {
	if ms := num(v); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}
