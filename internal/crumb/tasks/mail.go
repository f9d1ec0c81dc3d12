package tasks

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// UrgentMail is where mail waits that somebody is waiting for. It has workers of
// its own: however much of the newsletter waits, none of it stands before a
// password reset.
var UrgentMail = job.Queue{
	Name:         "urgent-mail",
	PeakArrivals: job.PerSecond(10),
	ServiceTime:  250 * time.Millisecond,
	LongestWait:  30 * time.Second,
}

// urgently is the policy of mail that somebody is waiting for: tried again soon at
// first, and for some hours in all.
var urgently = job.Policy{
	Queue: UrgentMail, MaxAttempts: 15, Timeout: 20 * time.Second,
	Backoff: backoff.Policy{Base: 2 * time.Second, Cap: time.Hour},
}

// SendMail sends one of the mails that package mail has templates for. It is made by
// the type of the mail: ExportReady{…}.To(reader).
type SendMail struct {
	// Template names the mail.
	Template string `json:"template"`
	// To is a reader's id, or an address where there is no reader yet.
	To string `json:"to"`
	// Data is what the template puts in. All that it asks for has to be there.
	Data map[string]string `json:"data,omitempty"`
}

// longestTo is the most bytes of an address.
// https://www.rfc-editor.org/errata/eid1690
const longestTo = 254

// Validate refuses, before there is a job, what can't be sent to anybody.
func (m SendMail) Validate() error {
	switch {
	case m.Template == "":
		return errors.New("template is missing: the name of the mail")
	case m.To == "":
		return errors.New("to is missing: a reader's id, or an address")
	case len(m.To) > longestTo || strings.ContainsFunc(m.To, isControl):
		return fmt.Errorf("to is %.80q: no reader and no address is called so", m.To)
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// SendUrgent sends a mail at once. Enqueue it in the transaction that makes it due,
// so that it is sent if that happened, and once.
var SendUrgent = job.Define[SendMail]("mail.urgent", urgently)

// ResetPassword asks for a mail with a link by which a password is set anew. The
// request enqueues it whoever the address belongs to: whether it is known, and the
// link's secret, only the worker gets to know.
type ResetPassword struct {
	Email string `json:"email"`
}

// Validate refuses what is no address at all.
func (r ResetPassword) Validate() error {
	return SendMail{Template: PasswordReset{}.name(), To: r.Email}.Validate()
}

// SendReset sends the mail. It is enqueued with job.Unique of the address: one in a
// minute, whoever asks how often.
var SendReset = job.Define[ResetPassword]("mail.reset", func() job.Policy {
	policy := urgently
	policy.Unique = job.Uniqueness{For: time.Minute}
	return policy
}())
