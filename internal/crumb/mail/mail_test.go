package mail_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/mail/mailtest"
	"github.com/nightshift-go/nightshift/pkg/job"
)

func TestAddresses(t *testing.T) {
	for text, good := range map[string]bool{
		"ada@example.org": true, "a.b+c@sub.example.org": true, "ada@xn--bcher-kva.example": true,
		"bounce+7@simulator.amazonses.com": true,
		"":                                 false, "ada": false, "@example.org": false, "ada@": false,
		"Ada <ada@example.org>": false, "<ada@example.org>": false,
		"ada@example.org, bob@example.org": false, "ada@example.org;bob@example.org": false,
		"ada@example.org\r\nBcc: bob@example.org": false, "ada@example.org\nX: y": false, "ada@example.org\x00": false,
		"ada@bücher.example": false, "äda@example.org": false, " ada@example.org": false,
		strings.Repeat("a", 243) + "@example.org": false,
	} {
		got, err := mail.Address(text)
		var bad *mail.BadAddress
		if (err == nil) != good || good && got != text || !good && !errors.As(err, &bad) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"ada@example.org", "Ada <ada@example.org>", "a@b\r\nBcc: c@d", "\"a b\"@c", "a@[127.0.0.1]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := mail.Address(text)
		if err == nil && (got != text || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r > '~' }) || strings.Count(got, "@") == 0) {
			t.Errorf("%q was taken for an address", text)
		}
	})
}

func TestAMailHasOneRecipientAndTwoParts(t *testing.T) {
	ses := &mailtest.SES{}
	m := mailtest.Mailer(t, ses)
	id, err := m.Send(t.Context(), mail.Message{
		To: "ada@example.org", Tags: map[string]string{mail.ReaderTag: "r1"}, Body: mail.Body{Subject: "Soup", Text: "text", HTML: "<p>html</p>"},
		Headers: []mail.Header{{Name: "List-Unsubscribe", Value: "<https://crumb.example/u>"}},
	})
	if err != nil || id != "message-1" {
		t.Fatalf("%q, %v", id, err)
	}
	in := ses.Sent()[0]
	d, s := in.Destination, in.Content.Simple
	if fmt.Sprint(d.ToAddresses, d.CcAddresses, d.BccAddresses) != "[ada@example.org] [] []" {
		t.Errorf("it goes to %v, %v, %v", d.ToAddresses, d.CcAddresses, d.BccAddresses)
	}
	if *s.Subject.Data != "Soup" || *s.Body.Text.Data != "text" || *s.Body.Html.Data != "<p>html</p>" {
		t.Errorf("it says %v", s)
	}
	if *in.ConfigurationSetName != "mails" || *in.EmailTags[0].Value != "r1" || *s.Headers[0].Name != "List-Unsubscribe" {
		t.Errorf("set, tag or header are missing: %v", in)
	}
}

func TestHeadersThatWouldEndTheirLine(t *testing.T) {
	ses := &mailtest.SES{}
	m := mailtest.Mailer(t, ses)
	for _, h := range []mail.Header{
		{Name: "X", Value: "a\r\nBcc: b@c"}, {Name: "X", Value: "ä"}, {Name: "X: y", Value: "z"}, {Name: "", Value: "z"},
		{Name: "X", Value: ""}, {Name: "X", Value: strings.Repeat("v", 871)}, {Name: "X\n", Value: "z"},
	} {
		_, err := m.Send(t.Context(), mail.Message{To: "ada@example.org", Headers: []mail.Header{h}})
		var fail *job.FailError
		if !errors.As(err, &fail) {
			t.Errorf("%q: %v", h, err)
		}
	}
	if n := len(ses.Sent()); n > 0 {
		t.Errorf("%d mails were sent", n)
	}
}

func TestWhatAnErrorOfSESMeans(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"rate":        {&types.TooManyRequestsException{}, "later"},
		"quota":       {&types.LimitExceededException{}, "later"},
		"paused":      {&types.SendingPausedException{}, "later"},
		"suspended":   {&types.AccountSuspendedException{}, "later"},
		"rejected":    {&types.MessageRejected{Message: aws.String("Email address is not verified.")}, "never"},
		"unverified":  {&types.MailFromDomainNotVerifiedException{}, "later"},
		"bad request": {&types.BadRequestException{Message: aws.String("Illegal address")}, "never"},
		"no answer":   {mailtest.ErrLost, "unknown"},
	} {
		ses := &mailtest.SES{Fail: func(int, *sesv2.SendEmailInput) error { return fmt.Errorf("operation error SESv2: %w", c.err) }}
		_, err := mailtest.Mailer(t, ses).Send(t.Context(), mail.Message{To: "ada@example.org"})
		got := "unknown"
		var fail *job.FailError
		var retry *job.RetryError
		switch {
		case errors.As(err, &fail):
			got = "never"
		case errors.As(err, &retry) && retry.After > 0:
			got = "later"
		}
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %s, want %s: %v", name, got, c.want, err)
		}
	}
}

func TestConfigurations(t *testing.T) {
	good := mail.Config{SES: &mailtest.SES{}, From: "crumb@crumb.example", URL: "http://127.0.0.1:8080/"}
	for name, change := range map[string]func(*mail.Config){
		"SES":     func(c *mail.Config) { c.SES = nil },
		"sender":  func(c *mail.Config) { c.From = "Crumb" },
		"injects": func(c *mail.Config) { c.From = "a@b\r\nBcc: c@d" },
		"URL":     func(c *mail.Config) { c.URL = "crumb.example" },
	} {
		config := good
		change(&config)
		if _, err := mail.New(config); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := mail.New(good); err != nil {
		t.Error(err)
	}
}
