package limit

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// lineTries bounds how often a place in a line is asked for.
const lineTries = 4

// A line tells those who have to wait for a key when to come back, one after the
// other: at the pace at which there is something for them, and not all at once. Its
// end is a moment in the key's row (line_ns), which each of them moves on by a step. A
// place is an appointment and no claim: whoever comes at its time takes what there is,
// like everybody else, and where others were quicker, lines up again.
type line struct {
	driver  store.Driver
	row     store.Item
	step    int64 // between two of them, in nanoseconds
	longest time.Duration
	expires types.AttributeValue // of the row
	jitter  func() float64
}

// join gives how long to wait. first is when the first in line may come.
func (l line) join(ctx context.Context, now int64, first time.Duration) (time.Duration, error) {
	empty := false // where many wait, nearly all find a line
	for range lineTries {
		found, err := l.driver.Write(ctx, l.write(now, int64(first), empty))
		old, refused := refusedWith(err)
		switch {
		case err == nil:
			return l.spread(time.Duration(num(found["line_ns"]) - now)), nil
		case !refused:
			return 0, fmt.Errorf("limit: joining a line: %w", err)
		}
		end := num(old["line_ns"])
		if end > now+int64(l.longest) {
			break
		}
		empty = end < now
	}
	// The line is longer than anybody is sent away for: its end is somewhere else.
	return l.longest/2 + time.Duration(l.jitter()*float64(l.longest/2)), nil
}

// spread keeps those of one moment from coming in one: a tenth more, at most.
func (l line) spread(wait time.Duration) time.Duration {
	wait = min(max(wait, time.Millisecond), l.longest)
	return wait + time.Duration(l.jitter()*float64(wait)/10)
}

func (l line) write(now, first int64, empty bool) store.Write {
	values := store.Item{
		":now": number(now), ":step": number(l.step), ":first": number(now + first), ":end": number(now + int64(l.longest)),
		":ttl": l.expires,
	}
	if empty {
		// Key: the limit's and its key's. Condition: nobody is in line. Comes
		// back: the row; on failure as it was. A lost race: somebody is.
		return change(l.row, "SET #line_ns = :first, #ttl = :ttl", "attribute_not_exists(#line_ns) OR #line_ns < :now", values)
	}
	// Key: as above. Condition: a line that is not too long. Comes back: the row;
	// on failure as it was. A lost race: it has grown too long, or is over. A call
	// that is repeated leaves a gap.
	return change(l.row, "SET #line_ns = #line_ns + :step, #ttl = :ttl", "#line_ns BETWEEN :now AND :end", values)
}
