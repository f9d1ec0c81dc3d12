package idempotency

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// LongestScope is the most bytes that a key's scope may have.
const LongestScope = 200

// longestID is the most bytes of an id that are written out; longer ones are
// hashed. A partition key holds 2048 bytes:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const longestID = 1024

// A Key names one effect.
type Key struct {
	// Scope names the kind of effect, "payments.charge": keys of different
	// scopes never meet. It does not follow from the place in the code, so that
	// renaming a function repeats nothing. 1 to LongestScope bytes.
	Scope string
	// ID tells effects of the scope apart: job.Job.Key for an effect of a job,
	// or what the outside world calls it (an order's number, a client's
	// Idempotency-Key with the client before it). Not empty.
	ID string
	// Payload is what decides the effect, and nothing that differs between
	// attempts, such as a time. Its fingerprint is kept: the same key with
	// another payload is ErrOtherPayload. It is encoded as JSON; order of names
	// and white space do not matter, and numbers are compared as they are
	// written (1.0 is not 1). nil checks nothing.
	//
	// A field that a later version of the program adds changes the fingerprint:
	// have it omitted while it is zero.
	Payload any
}

// String gives scope and id for people.
func (k Key) String() string { return fmt.Sprintf("%s %.80q", k.Scope, k.ID) }

// row gives the primary key of the key's record. No two keys have the same:
// "#" and "%" of a scope are escaped, so that the first "#" after it ends it, and
// hashed ids have a sort key of their own.
func (k Key) row() (store.Item, error) {
	switch {
	case k.Scope == "":
		return nil, permanent(ErrBadKey, k, "it has no scope")
	case len(k.Scope) > LongestScope || !utf8.ValidString(k.Scope):
		return nil, permanent(ErrBadKey, k, "its scope must be at most %d bytes of UTF-8", LongestScope)
	case k.ID == "":
		return nil, permanent(ErrBadKey, k, "it has no id: effects without a key can't be told apart")
	}
	id, sk := k.ID, "once"
	if len(id) > longestID || !utf8.ValidString(id) {
		sum := sha256.Sum256([]byte(id))
		id, sk = hex.EncodeToString(sum[:]), "once:sha256"
	}
	return store.Item{
		store.PartitionKey: text("once#" + escapeScope.Replace(k.Scope) + "#" + id),
		store.SortKey:      text(sk),
	}, nil
}

var escapeScope = strings.NewReplacer("%", "%25", "#", "%23")

// fingerprint is the SHA-256 of the payload as canonical JSON: names sorted, no
// white space, strings in their shortest spelling, numbers as they are.
func (k Key) fingerprint() (string, error) {
	data, err := payload.Encode(k.Payload)
	if err != nil {
		return "", permanent(ErrBadKey, k, "%v", err)
	}
	canonical := jsontext.Value(data)
	// RFC 8785 would make doubles of all numbers, and large ids equal.
	err = canonical.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	if err != nil {
		return "", permanent(ErrBadKey, k, "its payload: %v", err)
	}
	sum := sha256.Sum256(canonical)
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
