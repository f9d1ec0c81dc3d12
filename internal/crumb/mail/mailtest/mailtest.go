// Package mailtest gives tests an SES that keeps what it is sent.
package mailtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
)

// URL is where the site of a Mailer is.
const URL = "https://crumb.example"

// A SES keeps mails. Its zero value is ready, and may be used by many goroutines.
type SES struct {
	// Fail is asked before a mail is kept, with how many calls there were: an error
	// is SES's answer. Nil: none.
	Fail func(call int, in *sesv2.SendEmailInput) error
	// Lose is asked after a mail is kept: an error is what comes of its answer.
	Lose func(call int, in *sesv2.SendEmailInput) error

	mu    sync.Mutex
	calls int
	sent  []*sesv2.SendEmailInput
}

// SendEmail keeps a mail.
func (s *SES) SendEmail(_ context.Context, in *sesv2.SendEmailInput, _ ...func(*sesv2.Options)) (*sesv2.SendEmailOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.Fail != nil {
		if err := s.Fail(s.calls, in); err != nil {
			return nil, err
		}
	}
	s.sent = append(s.sent, in)
	if s.Lose != nil {
		if err := s.Lose(s.calls, in); err != nil {
			return nil, err
		}
	}
	return &sesv2.SendEmailOutput{MessageId: aws.String(fmt.Sprintf("message-%d", s.calls))}, nil
}

// Sent gives what was kept, in order.
func (s *SES) Sent() []*sesv2.SendEmailInput {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*sesv2.SendEmailInput(nil), s.sent...)
}

// To counts the mails kept for each address.
func (s *SES) To() map[string]int {
	counts := map[string]int{}
	for _, in := range s.Sent() {
		counts[strings.Join(in.Destination.ToAddresses, ",")]++
	}
	return counts
}

// ErrLost is an answer that did not come.
var ErrLost = errors.New("mailtest: the connection was reset")

// Mailer makes a Mailer that sends to it.
func Mailer(t testing.TB, ses mail.SES) *mail.Mailer {
	t.Helper()
	m, err := mail.New(mail.Config{SES: ses, From: "Crumb <crumb@crumb.example>", Set: "mails", URL: URL})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
