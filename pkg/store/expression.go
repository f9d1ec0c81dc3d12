package store

import (
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// namesIn gives the names that the expressions use. In this package a name
// placeholder stands for the attribute of the same name: #state for "state".
// Many of the names are reserved words, so all are written this way.
func namesIn(expressions ...string) map[string]string {
	names := make(map[string]string, 16)
	for _, e := range expressions {
		for at := strings.IndexByte(e, '#'); at >= 0; at = strings.IndexByte(e, '#') {
			end := at + 1
			for end < len(e) && (e[end] == '_' || e[end] >= 'a' && e[end] <= 'z') {
				end++
			}
			names[e[at:end]] = e[at+1 : end]
			e = e[end:]
		}
	}
	return names
}

// update makes an Update of one job's row from its expressions.
func update(key Item, expression, condition string, values Item) Write {
	return Write{
		Op: Update, Key: key, Update: expression, Condition: condition,
		Names: namesIn(expression, condition), Values: values,
	}
}

// A template is an update whose expressions are always the same: those that every
// job goes through are put together once.
type template struct {
	expression, condition string
	names                 map[string]string
}

func newTemplate(expression, condition string) template {
	return template{expression, condition, namesIn(expression, condition)}
}

// of makes an Update of one job's row. Nobody changes the names of a Write.
func (t template) of(key Item, values Item) Write {
	return Write{Op: Update, Key: key, Update: t.expression, Condition: t.condition, Names: t.names, Values: values}
}

// Values that most writes have. Nobody changes the values of a Write.
var (
	queued  = text(string(lifecycle.Queued))
	running = text(string(lifecycle.Running))
	done    = text(string(lifecycle.Done))
	one     = number(1)
	yes, no = &types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberBOOL{}
)

// ended is the state that a run goes to.
func ended(to lifecycle.State) types.AttributeValue {
	if to == lifecycle.Done {
		return done
	}
	return text(string(to))
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number[N int | int64](n N) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(int64(n), 10)}
}

func boolean(b bool) types.AttributeValue {
	if b {
		return yes
	}
	return no
}

// millis is a time as rows have it: milliseconds since 1970, in attributes whose
// name ends in _ms.
func millis(t time.Time) types.AttributeValue { return number(t.UnixMilli()) }

// ceilMillis rounds up, so that a wait is never cut short.
func ceilMillis(t time.Time) types.AttributeValue {
	return number(t.Add(time.Millisecond - 1).UnixMilli())
}

// seconds is a time to live as DynamoDB wants it: whole seconds since 1970.
func seconds(t time.Time) types.AttributeValue { return number(t.Unix()) }
