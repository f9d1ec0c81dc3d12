package limit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// RowPrefix is how the partition keys of this package's rows begin.
const RowPrefix = "limit#"

// longestKey is the longest key that is written as it is, in bytes; others are hashed.
const longestKey = 256

// kept is for how long a row outlives what it says: by far more than clocks lie apart.
const kept = time.Hour

var limitName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9.-]{0,63}$`)
})

func checkName(name string) error {
	if !limitName().MatchString(name) {
		return fmt.Errorf("limit: the name %.80q: 1 to 64 lower case letters, digits, dots and dashes, a letter first", name)
	}
	return nil
}

// rowKey is the primary key of a key's row. Names hold no "#", and hashed keys have a
// sort key of their own: no two keys share a row.
func rowKey(kind, name, key string) store.Item {
	sort := "limit"
	if len(key) > longestKey || !utf8.ValidString(key) {
		sum := sha256.Sum256([]byte(key))
		key, sort = hex.EncodeToString(sum[:]), "limit:sha256"
	}
	return store.Item{
		store.PartitionKey: text(RowPrefix + kind + "#" + name + "#" + key),
		store.SortKey:      text(sort),
	}
}

// change makes an Update. A placeholder stands for the attribute of the same name,
// and #ttl for the time to live.
func change(key store.Item, update, condition string, values store.Item) store.Write {
	names := map[string]string{}
	for _, word := range strings.FieldsFunc(update+" "+condition, func(r rune) bool { return strings.ContainsRune(" ,()=+<>", r) }) {
		if name, ok := strings.CutPrefix(word, "#"); ok {
			names[word] = name
		}
	}
	if names["#ttl"] != "" {
		names["#ttl"] = store.ExpiresAt
	}
	used := maps.Clone(values)
	maps.DeleteFunc(used, func(name string, _ types.AttributeValue) bool {
		return !strings.Contains(update+" "+condition+" ", name)
	})
	return store.Write{Op: store.Update, Key: key, Update: update, Condition: condition, Names: names, Values: used}
}

// expires is a time to live that lies far enough after a time.
func expires(at int64) types.AttributeValue { return number(time.Unix(0, at).Add(kept).Unix()) }

// refusedWith gives the row at which a condition failed.
func refusedWith(err error) (old store.Item, refused bool) {
	var failed *store.ConditionError
	if !errors.As(err, &failed) {
		return nil, false
	}
	return failed.Old, true
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

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
