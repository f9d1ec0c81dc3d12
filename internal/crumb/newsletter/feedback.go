package newsletter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// Feedback takes what SES tells of mails: addresses that take none, and readers who
// complain. It may be used by many goroutines.
type Feedback struct {
	table  *rows.Table
	logger *slog.Logger
}

// NewFeedback makes Feedback.
func NewFeedback(table *rows.Table, logger *slog.Logger) *Feedback {
	return &Feedback{table: table, logger: logger}
}

// A notice is one of SES's events, as far as it is read.
// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
type notice struct {
	EventType string `json:"eventType"`
	Mail      struct {
		Tags map[string][]string `json:"tags"`
	} `json:"mail"`
	Bounce struct {
		BounceType        string      `json:"bounceType"`
		BounceSubType     string      `json:"bounceSubType"`
		BouncedRecipients []recipient `json:"bouncedRecipients"`
	} `json:"bounce"`
	Complaint struct {
		ComplaintFeedbackType string      `json:"complaintFeedbackType"`
		ComplainedRecipients  []recipient `json:"complainedRecipients"`
	} `json:"complaint"`
}

type recipient struct {
	EmailAddress   string `json:"emailAddress"`
	DiagnosticCode string `json:"diagnosticCode"`
}

// Handle takes a batch of SQS messages, each an event of SES's. Those that fail come
// again; after some times they are moved to the dead-letter queue. Doing one twice
// changes nothing.
func (f *Feedback) Handle(ctx context.Context, batch events.SQSEvent) (events.SQSEventResponse, error) {
	var response events.SQSEventResponse
	for _, message := range batch.Records {
		if err := f.take(ctx, []byte(message.Body)); err != nil {
			f.logger.ErrorContext(ctx, "an event of SES's was not taken", "message", message.MessageId, "error", err.Error())
			response.BatchItemFailures = append(response.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: message.MessageId})
		}
	}
	return response, nil
}

func (f *Feedback) take(ctx context.Context, body []byte) error {
	var n notice
	if err := json.Unmarshal(body, &n); err != nil || n.EventType == "" {
		return fmt.Errorf("newsletter: %.200q is no event of SES's: %v", body, err)
	}
	reader := tag(n, mail.ReaderTag)
	if reader == "" {
		return nil // a mail to an address that is no reader's
	}
	switch {
	// A full mailbox, a server that is down: SES tries again by itself.
	case n.EventType == "Bounce" && n.Bounce.BounceType == "Permanent":
		for _, r := range n.Bounce.BouncedRecipients {
			if err := f.bounced(ctx, reader, r.EmailAddress, words(n.Bounce.BounceSubType, r.DiagnosticCode)); err != nil {
				return err
			}
		}
		return f.countBounce(ctx, tasks.IssueCopy{Issue: tasks.Issue{Monday: tag(n, mail.IssueTag)}, Reader: reader})
	// not-spam is a reader who took a mail out of the folder for spam.
	case n.EventType == "Complaint" && n.Complaint.ComplaintFeedbackType != "not-spam":
		err := Unsubscribe(ctx, f.table, reader)
		if errors.Is(err, ErrNobody) {
			return nil
		}
		return err
	}
	return nil
}

// bounced notes that a reader's address takes no mail and ends the subscription, if
// it is their address still.
func (f *Feedback) bounced(ctx context.Context, id, address, why string) error {
	reader, ok, err := rows.Get[readers.Reader](ctx, f.table, readers.Key(id))
	if err != nil || !ok || !strings.EqualFold(reader.Email, address) {
		return err
	}
	// Key: the reader. Condition: the address is the one that bounced. A lost race
	// means that they have another one by now.
	err = f.table.Change().
		Update(readers.Key(id), "SET #newsletter = :off, #bounced = :why", "#email = :email",
			rows.Values{":off": false, ":why": why, ":email": reader.Email}).
		Delete(subscriberKey(id), "", nil).
		Apply(ctx)
	if errors.Is(err, rows.ErrCondition) {
		return nil
	}
	return err
}

// countBounce counts a copy that came back, once. The bounce may be here before the
// receipt is written: then it is an error, and the event comes again.
func (f *Feedback) countBounce(ctx context.Context, c tasks.IssueCopy) error {
	if c.Monday == "" {
		return nil // no newsletter
	}
	// Key: the receipt. Condition: it is there, and not counted yet. A lost race
	// tells which of the two it is.
	err := f.table.Change().
		Update(receiptKey(c), "SET #bounced = :yes", rows.Present+" AND attribute_not_exists(#bounced)", rows.Values{":yes": true}).
		Update(countKey(c), "ADD #bounced :one", "", rows.Values{":one": 1}).
		Apply(ctx)
	if _, counted := rows.Old[Receipt](err); counted {
		return nil
	}
	return err
}

func tag(n notice, name string) string {
	if values := n.Mail.Tags[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// words are what is kept of a bounce: enough to know why, whatever a server tells.
func words(parts ...string) string {
	return fmt.Sprintf("%.200s", strings.Trim(strings.Join(parts, ": "), ": "))
}
