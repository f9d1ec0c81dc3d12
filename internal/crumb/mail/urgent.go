package mail

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Urgent sends the mails that somebody is waiting for. It may be used by many
// goroutines.
type Urgent struct {
	mailer  *Mailer
	readers *rows.Table
	records *idempotency.Records
}

// NewUrgent makes Urgent. It reads readers' addresses, and keeps in records what was
// sent.
func NewUrgent(mailer *Mailer, table *rows.Table, records *idempotency.Records) (*Urgent, error) {
	if mailer == nil || table == nil || records == nil {
		return nil, errors.New("mail: NewUrgent needs a mailer, the site's table and records")
	}
	return &Urgent{mailer, table, records}, nil
}

// Send is the handler of tasks.SendUrgent. A run after the one that sent the mail
// finds its record, and sends nothing.
func (u *Urgent) Send(ctx context.Context, j *job.Job[tasks.SendMail]) error {
	message, err := u.message(ctx, j.Args)
	if err != nil {
		return err
	}
	key := idempotency.Key{Scope: "mail.urgent", ID: j.Key("mail"), Payload: j.Args}
	_, err = idempotency.Once(ctx, u.records, key, func(ctx context.Context) (string, error) {
		return u.mailer.Send(ctx, message)
	})
	return err
}

// message writes the mail. What is wrong with it is found before anything is sent.
func (u *Urgent) message(ctx context.Context, m tasks.SendMail) (Message, error) {
	body, err := u.mailer.Render(m.Template, m.Data)
	if err != nil {
		return Message{}, job.Fail(err)
	}
	if strings.Contains(m.To, "@") {
		return Message{To: m.To, Body: body}, nil
	}
	reader, ok, err := rows.Get[readers.Reader](ctx, u.readers, readers.Key(m.To))
	switch {
	case err != nil:
		return Message{}, err
	case !ok:
		return Message{}, job.Discard("the reader is gone")
	case reader.Bounced != "":
		return Message{}, job.Discard(fmt.Sprintf("the reader's address takes no mail: %s", reader.Bounced))
	}
	return Message{To: reader.Email, Body: body, Tags: map[string]string{ReaderTag: reader.ID}}, nil
}
