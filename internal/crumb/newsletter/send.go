package newsletter

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A Receipt is what became of a copy. Key: copy#<Monday>#<reader>, "receipt". It
// goes after keepReceipts: then no job can send that issue any more.
type Receipt struct {
	Outcome   Outcome   `dynamodbav:"outcome"`
	Why       string    `dynamodbav:"why,omitempty"`
	MessageID string    `dynamodbav:"message_id,omitempty"`
	At        time.Time `dynamodbav:"at"`
	Bounced   bool      `dynamodbav:"bounced,omitempty"`
	TTL       int64     `dynamodbav:"ttl"`
}

const keepReceipts = 90 * 24 * time.Hour

func receiptKey(c tasks.IssueCopy) rows.Key {
	return rows.Key{Partition: "copy#" + c.Monday + "#" + c.Reader, Sort: "receipt"}
}

// Send is the handler of tasks.SendCopy. What became of the copy is written when it
// is known, and not before: with the end of the job.
func (n *Newsletter) Send(ctx context.Context, j *job.Job[tasks.IssueCopy]) error {
	if _, ended, err := rows.Get[Receipt](ctx, n.Table, receiptKey(j.Args)); err != nil || ended {
		return err
	}
	reader, ok, err := rows.Get[readers.Reader](ctx, n.Table, readers.Key(j.Args.Reader))
	switch {
	case err != nil:
		return err
	case !ok || !reader.Newsletter || reader.Bounced != "":
		return n.end(ctx, j, Receipt{Outcome: Skipped, Why: "not a subscriber any more"})
	}
	message, err := n.write(ctx, j.Args.Monday, reader)
	if err != nil {
		return err
	}
	id, err := n.Mailer.Send(ctx, message)
	var never *job.FailError
	switch {
	case errors.As(err, &never): // this address, and nobody else's copy
		return n.end(ctx, j, Receipt{Outcome: Refused, Why: err.Error()})
	case err != nil:
		return err
	}
	return n.end(ctx, j, Receipt{Outcome: Sent, MessageID: id})
}

// end ends the job with what became of the copy. Key: the copy's receipt. Condition:
// there is none. A lost race means that another job's is there.
func (n *Newsletter) end(ctx context.Context, j *job.Job[tasks.IssueCopy], r Receipt) error {
	r.At = n.Now().UTC()
	r.TTL = r.At.Add(keepReceipts).Unix()
	writes, err := count(n.Table.Change(), j.Args, r.Outcome).
		Put(receiptKey(j.Args), r, rows.Absent, nil).Writes()
	if err != nil {
		return err
	}
	return worker.Commit(ctx, j, writes...)
}

// An edition is what the template makes a reader's copy of.
type edition struct {
	Name        string
	Recipes     []recipes.Card
	Unsubscribe string
}

// write writes a reader's copy. The headers let a mail program unsubscribe by one
// click. https://www.rfc-editor.org/rfc/rfc8058
func (n *Newsletter) write(ctx context.Context, monday string, reader readers.Reader) (mail.Message, error) {
	issue, err := Read(ctx, n.Table, monday)
	if err != nil {
		return mail.Message{}, err
	}
	token := n.Tokens.Of(reader.ID)
	link, err := n.Mailer.Link(UnsubscribePath + "?token=" + token)
	if err != nil {
		return mail.Message{}, job.Fail(err)
	}
	body, err := n.Mailer.Render("issue", edition{Name: reader.Name, Recipes: issue.Recipes, Unsubscribe: page(token)})
	if err != nil {
		return mail.Message{}, job.Fail(err)
	}
	return mail.Message{
		To: reader.Email, Body: body,
		Tags: map[string]string{mail.ReaderTag: reader.ID, mail.IssueTag: monday},
		Headers: []mail.Header{
			{Name: "List-Unsubscribe", Value: "<" + link + ">"},
			{Name: "List-Unsubscribe-Post", Value: "List-Unsubscribe=One-Click"},
		},
	}, nil
}
