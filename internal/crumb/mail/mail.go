// Package mail writes Crumb's mails and hands them to SES: each to one address, as
// text and HTML, from templates that fail where something is missing.
//
// SES takes no idempotency key, so a mail is sent once, bar one window: the process
// dies, or SES's answer is lost, between SES's taking the mail and the record of it.
// Urgent mail keeps that record by idempotency.Once, the newsletter in the
// transaction that ends the job.
package mail

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Names of the settings that a function sends mail with.
const (
	// From is who mails come from: "Crumb <crumb@crumb.example>".
	From = "CRUMB_MAIL_FROM"
	// Set is the configuration set, by which SES tells what becomes of mails.
	Set = "CRUMB_MAIL_SET"
	// URL is where the site is, for links.
	URL = "CRUMB_URL"
)

// Tags of mails, by which SES's events tell what they are about.
const (
	// ReaderTag is the reader's id.
	ReaderTag = "reader"
	// IssueTag is the newsletter's issue.
	IssueTag = "issue"
)

// SES is what of its client is used. Give the client no retries of its own
// (aws.NopRetryer): it would send a mail again whose answer was lost, unseen.
type SES interface {
	SendEmail(ctx context.Context, in *sesv2.SendEmailInput, options ...func(*sesv2.Options)) (*sesv2.SendEmailOutput, error)
}

// A Config is what a Mailer needs. All but Set is required.
type Config struct {
	SES  SES
	From string
	Set  string
	// URL is where the site is: "https://crumb.example".
	URL string
}

// A Mailer writes and sends mails. It may be used by many goroutines.
type Mailer struct {
	config    Config
	templates templates
}

// New makes a Mailer. It reports every mistake at once, those in templates too.
func New(config Config) (*Mailer, error) {
	var problems []error
	if config.SES == nil {
		problems = append(problems, errors.New("mail: Config.SES is missing"))
	}
	if err := checkHeader("From", config.From); err != nil || !strings.Contains(config.From, "@") {
		problems = append(problems, fmt.Errorf("mail: Config.From is %q: an address, with a name in ASCII if any", config.From))
	}
	if !strings.HasPrefix(config.URL, "https://") && !strings.HasPrefix(config.URL, "http://") {
		problems = append(problems, fmt.Errorf("mail: Config.URL is %q: where the site is, like https://crumb.example", config.URL))
	}
	config.URL = strings.TrimSuffix(config.URL, "/")
	parsed, err := parse(config.URL)
	if err := errors.Join(append(problems, err)...); err != nil {
		return nil, err
	}
	return &Mailer{config, parsed}, nil
}

// A Message is one mail to one address.
type Message struct {
	// To is an address as Address takes it.
	To string
	Body
	// Tags are what SES's events tell with the mail: letters, digits, "_" and "-".
	Tags map[string]string
	// Headers are further ones.
	Headers []Header
}

// A Header is a further header of a mail, in printable ASCII.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageHeader.html
type Header struct{ Name, Value string }

// Send hands a mail to SES and gives SES's id of it. An error is a job's verdict:
// job.Fail for a mail that nobody will take, job.RetryAfter where SES wants a
// pause; after any other it is not known whether SES took the mail.
func (m *Mailer) Send(ctx context.Context, message Message) (id string, err error) {
	in, err := m.input(message)
	if err != nil {
		return "", job.Fail(err)
	}
	out, err := m.config.SES.SendEmail(ctx, in)
	if err != nil {
		return "", verdict(err)
	}
	return aws.ToString(out.MessageId), nil
}

func (m *Mailer) input(message Message) (*sesv2.SendEmailInput, error) {
	to, err := Address(message.To)
	if err != nil {
		return nil, err
	}
	in := &sesv2.SendEmailInput{
		FromEmailAddress: aws.String(m.config.From),
		Destination:      &types.Destination{ToAddresses: []string{to}},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject: content(message.Subject),
			Body:    &types.Body{Text: content(message.Text), Html: content(message.HTML)},
		}},
	}
	if m.config.Set != "" {
		in.ConfigurationSetName = aws.String(m.config.Set)
	}
	for _, name := range slices.Sorted(maps.Keys(message.Tags)) {
		in.EmailTags = append(in.EmailTags, types.MessageTag{Name: aws.String(name), Value: aws.String(message.Tags[name])})
	}
	for _, h := range message.Headers {
		if err := checkHeader(h.Name, h.Value); err != nil {
			return nil, err
		}
		in.Content.Simple.Headers = append(in.Content.Simple.Headers, types.MessageHeader{Name: aws.String(h.Name), Value: aws.String(h.Value)})
	}
	return in, nil
}

func content(text string) *types.Content {
	return &types.Content{Data: aws.String(text), Charset: aws.String("UTF-8")}
}
