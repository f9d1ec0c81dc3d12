// Package newsletter sends the weekly newsletter: one issue each Monday, one copy of
// it to each subscriber.
//
//	begin    picks what the issue says and keeps it, so that every copy is the same,
//	         and enqueues a part for each shard of the subscribers: one transaction,
//	         once for each issue
//	fan out  enqueues copies, a page of subscribers in a transaction with the place
//	         that was reached, and continues
//	send     sends one copy, and ends its job in one transaction with the receipt and
//	         the count
//
// So a copy is enqueued once and counted once, whatever crashes. It is sent at most
// once bar one window: between SES's taking the mail and the transaction that says
// so. SES can't be asked whether it has a mail, and takes no key; a process that dies
// there, or an answer that is lost there, costs that one subscriber a second copy.
package newsletter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/pkg/outbox"
)

// An Issue is what every copy of a week says. Key: issue#<Monday>, "issue".
type Issue struct {
	Monday  string         `json:"monday" dynamodbav:"monday"`
	Recipes []recipes.Card `json:"recipes" dynamodbav:"recipes"`
	BegunAt time.Time      `json:"begun_at" dynamodbav:"begun_at"`
	// Seed is what the ids of the copies' jobs follow from; nobody can guess it.
	Seed string `json:"-" dynamodbav:"seed"`
}

func issueKey(monday string) rows.Key { return rows.Key{Partition: "issue#" + monday, Sort: "issue"} }

// Config is what a Newsletter works with. All of it is required.
type Config struct {
	Table  *rows.Table
	Outbox *outbox.Outbox
	Mailer *mail.Mailer
	Tokens *Tokens
	Now    func() time.Time
}

// A Newsletter has the handlers of the newsletter's tasks. It may be used by many
// goroutines.
type Newsletter struct{ Config }

// New makes a Newsletter.
func New(config Config) (*Newsletter, error) {
	if config.Table == nil || config.Outbox == nil || config.Mailer == nil || config.Tokens == nil || config.Now == nil {
		return nil, errors.New("newsletter: all of Config is required")
	}
	return &Newsletter{config}, nil
}

// ErrNoIssue: there is no issue of that Monday.
var ErrNoIssue = errors.New("newsletter: no such issue")

// Read gives an issue; ErrNoIssue where there is none.
func Read(ctx context.Context, table *rows.Table, monday string) (Issue, error) {
	issue, ok, err := rows.Get[Issue](ctx, table, issueKey(monday))
	if err != nil {
		return Issue{}, fmt.Errorf("newsletter: reading the issue of %s: %w", monday, err)
	}
	if !ok {
		return Issue{}, fmt.Errorf("%w: %s", ErrNoIssue, monday)
	}
	return issue, nil
}
