// Package resets lets readers who forgot their password choose another one.
//
// The request enqueues a job, whoever the address belongs to: it can't tell anybody
// who is a reader, not even by the time that it takes. The worker looks for the
// reader, draws the token, keeps its hash, and mails it. So a token is nowhere but in
// the mail: not in a row, not in a message, not in a job's arguments.
package resets

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Life is how long a token can be used.
const Life = time.Hour

// tokenBytes are drawn for a token.
const tokenBytes = 32

// A grant is a token that was mailed. Key: reset#<hash of the token>, "reset".
type grant struct {
	Reader    string `dynamodbav:"reader"`
	ExpiresMS int64  `dynamodbav:"expires_ms"`
	TTL       int64  `dynamodbav:"ttl"`
}

// grantKey is where a token's row lies. A token has as many bits as its hash: nobody
// can try them all, and no salt is needed.
func grantKey(token string) rows.Key {
	hash := sha256.Sum256([]byte(token))
	return rows.Key{Partition: "reset#" + hex.EncodeToString(hash[:]), Sort: "reset"}
}

// Config is what a Sender works with. All of it is required.
type Config struct {
	Table   *rows.Table
	Readers *readers.Readers
	Mailer  *mail.Mailer
	Records *idempotency.Records
	// Random is where tokens come from: crypto/rand.Reader.
	Random io.Reader
	Now    func() time.Time
}

// A Sender mails tokens. It may be used by many goroutines.
type Sender struct{ Config }

// NewSender makes a Sender.
func NewSender(config Config) (*Sender, error) {
	if config.Table == nil || config.Readers == nil || config.Mailer == nil || config.Records == nil || config.Random == nil || config.Now == nil {
		return nil, errors.New("resets: all of Config is required")
	}
	return &Sender{config}, nil
}

// Send is the handler of tasks.SendReset. A run after the one that sent the mail
// finds its record, and draws no other token.
func (s *Sender) Send(ctx context.Context, j *job.Job[tasks.ResetPassword]) error {
	reader, err := s.Readers.ByAddress(ctx, j.Args.Email)
	switch {
	case errors.Is(err, readers.ErrNobody):
		return job.Discard("nobody has this address")
	case err != nil:
		return err
	case reader.Bounced != "":
		return job.Discard("the address takes no mail: " + reader.Bounced)
	}
	key := idempotency.Key{Scope: "mail.reset", ID: j.Key("mail")}
	return s.Records.Do(ctx, key, func(ctx context.Context) error {
		token, err := s.grant(ctx, reader)
		if err != nil {
			return err
		}
		return s.mail(ctx, reader, token)
	})
}

// grant draws a token and keeps its hash.
func (s *Sender) grant(ctx context.Context, reader readers.Reader) (string, error) {
	random := make([]byte, tokenBytes)
	if _, err := io.ReadFull(s.Random, random); err != nil {
		return "", fmt.Errorf("resets: drawing a token: %w", err)
	}
	token := base64.RawURLEncoding.EncodeToString(random)
	expires := s.Now().Add(Life)
	row := grant{Reader: reader.ID, ExpiresMS: expires.UnixMilli(), TTL: expires.Unix()}
	return token, s.Table.Change().Put(grantKey(token), row, rows.Absent, nil).Apply(ctx)
}

func (s *Sender) mail(ctx context.Context, reader readers.Reader, token string) error {
	m := tasks.PasswordReset{Name: reader.Name, Link: "/reset?token=" + token}.To(reader.ID)
	body, err := s.Mailer.Render(m.Template, m.Data)
	if err != nil {
		return job.Fail(err)
	}
	_, err = s.Mailer.Send(ctx, mail.Message{To: reader.Email, Body: body, Tags: map[string]string{mail.ReaderTag: reader.ID}})
	return err
}
