package store

import (
	"regexp"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// placeholder finds the name placeholders of an expression. In this package
// each stands for the attribute of the same name: #state for "state". Many of
// the names are reserved words, so all are written this way.
var placeholder = regexp.MustCompile(`#[a-z_]+`)

// namesIn gives the names that the expressions use.
func namesIn(expressions ...string) map[string]string {
	names := map[string]string{}
	for _, e := range expressions {
		for _, p := range placeholder.FindAllString(e, -1) {
			names[p] = p[1:]
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

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number[N int | int64](n N) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(int64(n), 10)}
}

func boolean(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }

// millis is a time as rows have it: milliseconds since 1970, in attributes whose
// name ends in _ms.
func millis(t time.Time) types.AttributeValue { return number(t.UnixMilli()) }

// ceilMillis rounds up, so that a wait is never cut short.
func ceilMillis(t time.Time) types.AttributeValue {
	return number(t.Add(time.Millisecond - 1).UnixMilli())
}

// seconds is a time to live as DynamoDB wants it: whole seconds since 1970.
func seconds(t time.Time) types.AttributeValue { return number(t.Unix()) }
