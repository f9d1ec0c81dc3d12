// Package notices keeps the readers' inboxes: what they asked to be told, how many of
// it they have not read, and who is told of a new recipe.
package notices

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// Notices tells readers of new recipes, and shows them their inboxes. It may be used
// by many goroutines.
type Notices struct {
	table *rows.Table
	now   func() time.Time
}

// New makes Notices of the site's table and a clock.
func New(table *rows.Table, now func() time.Time) (*Notices, error) {
	if table == nil || now == nil {
		return nil, errors.New("notices: New needs the site's table and a clock")
	}
	return &Notices{table: table, now: now}, nil
}

// A Notice is one line in an inbox. Key: inbox#<reader>, <time>#<id>.
type Notice struct {
	// ID names what it is about, once for each reader: "published/17". A reader is
	// told the same thing once.
	ID string `json:"id" dynamodbav:"id"`
	// Kind is "published", "held", "cleared", or what other parts of the site say.
	Kind string `json:"kind" dynamodbav:"kind"`
	Text string `json:"text" dynamodbav:"text"`
	// Link is the path of the page that it is about.
	Link string `json:"link,omitempty" dynamodbav:"link,omitempty"`
	// At is when it happened: the same for all who are told, however late.
	At time.Time `json:"at" dynamodbav:"at"`
	// Read tells that the reader has seen it.
	Read bool `json:"read" dynamodbav:"-"`
	// Told is when it came to the inbox; zero: At.
	Told time.Time `json:"-" dynamodbav:"told"`
}

func keyOf(reader string, n Notice) rows.Key {
	return rows.Key{Partition: InboxOf(reader), Sort: rows.Place(n.At) + "#" + n.ID}
}

// InboxOf is the partition of a reader's inbox.
func InboxOf(reader string) string { return "inbox#" + reader }

// A mark is how far a reader has read. Key: reader#<id>, "inbox".
type mark struct {
	// Unread counts the notices that came since ReadAt.
	Unread int       `dynamodbav:"unread"`
	ReadAt time.Time `dynamodbav:"read_at"`
}

func markKey(reader string) rows.Key { return rows.Key{Partition: "reader#" + reader, Sort: "inbox"} }

// Add adds to changes that a reader is told something, and that one more notice is
// unread. The condition fails where the inbox has the notice already.
func Add(c *rows.Changes, reader string, n Notice) *rows.Changes {
	if n.Told.IsZero() {
		n.Told = n.At
	}
	return c.
		Put(keyOf(reader, n), n, rows.Absent, nil).
		Update(markKey(reader), "ADD #unread :one", "", rows.Values{":one": 1})
}

// Tell tells a reader something, once: a notice that the inbox has is left as it is,
// and not counted again. A count can't be repeated as a row can: therefore it is
// written in one transaction with the row that may not be there yet.
func Tell(ctx context.Context, table *rows.Table, reader string, n Notice) error {
	err := Add(table.Change(), reader, n).Apply(ctx)
	if err != nil && !errors.Is(err, rows.ErrCondition) {
		return fmt.Errorf("notices: telling %s of %s: %w", reader, n.ID, err)
	}
	return nil
}

// Unread counts what a reader has not read.
func (n *Notices) Unread(ctx context.Context, reader string) (int, error) {
	m, _, err := rows.Get[mark](ctx, n.table, markKey(reader))
	if err != nil {
		return 0, fmt.Errorf("notices: counting: %w", err)
	}
	return m.Unread, nil
}

// MarkRead says that a reader has read everything that came until now.
func (n *Notices) MarkRead(ctx context.Context, reader string) error {
	err := n.table.Change().
		Update(markKey(reader), "SET #unread = :none, #read_at = :now", "", rows.Values{":none": 0, ":now": n.now()}).
		Apply(ctx)
	if err != nil {
		return fmt.Errorf("notices: marking the inbox of %s as read: %w", reader, err)
	}
	return nil
}

// List reads a page of a reader's inbox, the newest first, and where the next one
// begins; empty: nowhere. Errors: rows.ErrCursor for an after that no page gave.
func (n *Notices) List(ctx context.Context, reader, after string) (list []Notice, next string, err error) {
	m, _, err := rows.Get[mark](ctx, n.table, markKey(reader))
	if err != nil {
		return nil, "", fmt.Errorf("notices: listing: %w", err)
	}
	page, err := rows.List[Notice](ctx, n.table, rows.Range{Partition: InboxOf(reader), Descending: true, Limit: pageSize, After: after})
	if err != nil {
		return nil, "", fmt.Errorf("notices: listing: %w", err)
	}
	for i := range page.Rows {
		page.Rows[i].Read = !page.Rows[i].Told.After(m.ReadAt)
	}
	return page.Rows, page.Next, nil
}

// pageSize is how many notices a page has.
const pageSize = 20
