package newsletter

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// Shards is how many partitions the subscribers lie in: as many jobs go through them
// side by side.
const Shards = 16

// A Subscriber gets the newsletter. Key: subscribers#<shard>, the reader's id. It is
// kept in step with the reader's Newsletter by one transaction.
type Subscriber struct {
	Reader string `dynamodbav:"reader"`
}

func subscriberKey(reader string) rows.Key {
	return rows.Key{Partition: subscribersIn(spread(reader, Shards)), Sort: reader}
}

func subscribersIn(shard int) string { return fmt.Sprintf("subscribers#%d", shard) }

// spread puts a reader into one of n shards, always the same.
func spread(reader string, n int) int {
	h := fnv.New32a()
	h.Write([]byte(reader))
	return int(h.Sum32() % uint32(n))
}

// Errors that callers decide on.
var (
	// ErrNobody: there is no such reader.
	ErrNobody = errors.New("newsletter: no such reader")
	// ErrBounced: the reader's address takes no mail.
	ErrBounced = errors.New("newsletter: the address takes no mail")
)

// Subscribe has a reader get the newsletter. Doing it twice changes nothing.
func Subscribe(ctx context.Context, table *rows.Table, reader string) error {
	// Key: the reader. Condition: they exist, and no mail to them bounced. A lost
	// race tells which of the two it is.
	err := table.Change().
		Update(readers.Key(reader), "SET #newsletter = :on",
			rows.Present+" AND (attribute_not_exists(#bounced) OR #bounced = :none)", rows.Values{":on": true, ":none": ""}).
		Put(subscriberKey(reader), Subscriber{Reader: reader}, "", nil).
		Apply(ctx)
	if _, there := rows.Old[readers.Reader](err); there {
		return fmt.Errorf("%w: reader %s", ErrBounced, reader)
	}
	return orNobody(err, reader)
}

// Unsubscribe ends that. Doing it twice changes nothing.
func Unsubscribe(ctx context.Context, table *rows.Table, reader string) error {
	return orNobody(unsubscribe(table.Change(), reader).Apply(ctx), reader)
}

// unsubscribe adds the end of a subscription to changes. Key: the reader. Condition:
// they exist.
func unsubscribe(c *rows.Changes, reader string) *rows.Changes {
	return c.Update(readers.Key(reader), "SET #newsletter = :off", rows.Present, rows.Values{":off": false}).
		Delete(subscriberKey(reader), "", nil)
}

func orNobody(err error, reader string) error {
	if errors.Is(err, rows.ErrCondition) {
		return fmt.Errorf("%w: %s", ErrNobody, reader)
	}
	return err
}
