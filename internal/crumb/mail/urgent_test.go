package mail_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/mail/mailtest"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

type urgentWorld struct {
	*nightshifttest.Kit
	ses   *mailtest.SES
	table *rows.Table
}

func newUrgent(t *testing.T, config nightshifttest.Config, known ...readers.Reader) *urgentWorld {
	t.Helper()
	config.Tables = rowstest.Tables()
	w := &urgentWorld{Kit: nightshifttest.New(t, config, tasks.SendUrgent), ses: &mailtest.SES{}}
	w.table = rowstest.Of(t, w.Kit)
	for _, r := range known {
		if err := w.table.Change().Put(readers.Key(r.ID), r, rows.Absent, nil).Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	u, err := mail.NewUrgent(mailtest.Mailer(t, w.ses), w.table, w.Idempotency())
	if err != nil {
		t.Fatal(err)
	}
	w.Serve(worker.Handle(tasks.SendUrgent, u.Send))
	return w
}

func (w *urgentWorld) enqueue(t *testing.T, ask tasks.SendMail) job.ID {
	t.Helper()
	id, err := w.Producer.Enqueue(t.Context(), tasks.SendUrgent.With(ask))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

var ada = readers.Reader{ID: "r1", Name: "Ada", Email: "ada@example.org"}

func TestAMailIsSentOnceThoughItsWorkerDies(t *testing.T) {
	for seed := range uint64(20) {
		w := newUrgent(t, nightshifttest.Config{Seed: seed, Duplicates: true, Shuffle: true}, ada)
		w.ses.Fail = func(call int, _ *sesv2.SendEmailInput) error {
			if call%2 == int(seed%2) {
				return &types.TooManyRequestsException{}
			}
			return nil
		}
		first := w.enqueue(t, tasks.PasswordChanged{Name: "Ada"}.To("r1"))
		second := w.enqueue(t, tasks.PasswordChanged{Name: "Bob"}.To("bob@example.org"))
		w.RunAll(t.Context())
		w.WantState(first, lifecycle.Done)
		w.WantState(second, lifecycle.Done)
		if to := w.ses.To(); len(to) != 2 || to["ada@example.org"] != 1 || to["bob@example.org"] != 1 {
			t.Errorf("seed %d: sent to %v", seed, to)
		}
	}
}

func TestMailsThatCanNotBe(t *testing.T) {
	bounced := readers.Reader{ID: "r2", Name: "Bob", Email: "bob@example.org", Bounced: "no such mailbox"}
	broken := readers.Reader{ID: "r3", Name: "Eve", Email: "eve@example.org\r\nBcc: all@example.org"}
	for name, c := range map[string]struct {
		ask  tasks.SendMail
		want lifecycle.State
	}{
		"no template": {tasks.SendMail{Template: "no-such", To: "r1"}, lifecycle.Dead},
		"no data":     {tasks.SendMail{Template: "password-changed", To: "r1"}, lifecycle.Dead},
		"no reader":   {tasks.PasswordChanged{Name: "x"}.To("r9"), lifecycle.Cancelled},
		"bounced":     {tasks.PasswordChanged{Name: "x"}.To("r2"), lifecycle.Cancelled},
		"no address":  {tasks.PasswordChanged{Name: "x"}.To("r3"), lifecycle.Dead},
		"a list":      {tasks.PasswordChanged{Name: "x"}.To("a@example.org,b@example.org"), lifecycle.Dead},
	} {
		w := newUrgent(t, nightshifttest.Config{}, ada, bounced, broken)
		id := w.enqueue(t, c.ask)
		w.Drain(t.Context())
		w.WantState(id, c.want)
		if n := len(w.ses.Sent()); n > 0 {
			t.Errorf("%s: %d mails were sent", name, n)
		}
	}
}

func TestARefusedMailStopsItselfAlone(t *testing.T) {
	w := newUrgent(t, nightshifttest.Config{}, ada)
	w.ses.Fail = func(_ int, in *sesv2.SendEmailInput) error {
		if in.Destination.ToAddresses[0] == "bad@example.org" {
			return &types.MessageRejected{}
		}
		return nil
	}
	bad, good := w.enqueue(t, tasks.PasswordChanged{Name: "x"}.To("bad@example.org")), w.enqueue(t, tasks.PasswordChanged{Name: "x"}.To("r1"))
	w.Drain(t.Context())
	w.WantState(bad, lifecycle.Dead)
	w.WantState(good, lifecycle.Done)
	if code := w.Record(bad).Error.Code; code != "mail-refused" {
		t.Errorf("the code is %s", code)
	}
}

// The stated window: SES took the mail, and nobody heard of it.
func TestALostAnswerIsTheOneWindow(t *testing.T) {
	w := newUrgent(t, nightshifttest.Config{}, ada)
	w.ses.Lose = func(call int, _ *sesv2.SendEmailInput) error {
		if call == 1 {
			return mailtest.ErrLost
		}
		return nil
	}
	id := w.enqueue(t, tasks.PasswordChanged{Name: "Ada"}.To("r1"))
	w.RunAll(t.Context())
	w.WantState(id, lifecycle.Done)
	if n := w.ses.To()["ada@example.org"]; n != 2 {
		t.Errorf("%d mails: a mail whose answer is lost is sent again, rather than perhaps not at all", n)
	}
}

func TestWhatNewUrgentNeeds(t *testing.T) {
	if _, err := mail.NewUrgent(nil, nil, nil); err == nil || errors.Is(err, mail.ErrNoTemplate) {
		t.Errorf("without anything: %v", err)
	}
}
