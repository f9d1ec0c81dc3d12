package relay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// message makes what is sent for a row.
func (r *Relay) message(row store.Record, t *target) (queue.Outgoing, error) {
	m := queue.Message{ID: row.ID, N: row.Publication.N, Trace: row.Trace}
	if t.letters {
		m.Letter = letter(row)
	}
	body, err := m.Encode()
	if err != nil {
		return queue.Outgoing{}, err
	}
	out := queue.Outgoing{Body: body}
	if t.fifo {
		out.Group, out.Dedup = groupID(row.ID), fitting(fmt.Sprintf("%s:%d", row.ID, m.N))
		return out, nil
	}
	if wait := row.Publication.At.Sub(r.config.Now()); wait > 0 {
		out.Delay = wait
	}
	return out, nil
}

func letter(row store.Record) *queue.Letter {
	l := &queue.Letter{
		Task: row.Task, Queue: row.Queue, Attempts: row.Attempt,
		CreatedAt: row.Created, StartedAt: row.Started, DiedAt: row.Finished,
	}
	if row.Error != nil {
		l.Code, l.Reason = row.Error.Code, row.Error.Message
	}
	return l
}

// groupID is the message group of a job: its own group, and for a job that has
// none the job itself.
func groupID(id job.ID) string {
	if _, group, ok := id.Group(); ok {
		return fitting(group)
	}
	return fitting(string(id))
}

// fitting gives the text itself where SQS takes it as a group or a
// deduplication id (1 to 128 letters, digits and punctuation), and else its
// hash.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fifo-queue-message-identifiers.html
func fitting(text string) string {
	fits := len(text) >= 1 && len(text) <= 128
	for i := range len(text) {
		fits = fits && text[i] > ' ' && text[i] < 0x7f
	}
	if fits {
		return text
	}
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}
