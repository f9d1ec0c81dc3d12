package wire

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// Mailer writes mails and hands them to SES. The client tries nothing twice: what
// is tried again is the job's to say, which keeps account of what was sent.
func (e *Env) Mailer() *mail.Mailer {
	config := mail.Config{
		From: e.Settings.Required(mail.From), Set: e.Settings.Required(mail.Set), URL: e.Settings.Required(mail.URL),
		SES: sesv2.NewFromConfig(e.AWS, func(o *sesv2.Options) { o.Retryer = aws.NopRetryer{} }),
	}
	if config.From == "" || config.Set == "" || config.URL == "" {
		return nil
	}
	made, err := mail.New(config)
	if err != nil {
		e.problems = append(e.problems, err)
	}
	return made
}

// Records keeps what was done outside of the tables, once.
func (e *Env) Records() *idempotency.Records {
	table := e.Settings.Required(settings.Table)
	made, err := idempotency.New(idempotency.Config{
		Driver: dynamo.New(dynamodb.NewFromConfig(e.AWS), table), Now: e.Now, Logger: e.Logger,
	})
	if err != nil {
		e.problems = append(e.problems, err)
	}
	return made
}
