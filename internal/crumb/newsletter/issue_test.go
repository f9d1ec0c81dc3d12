package newsletter_test

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/nightshift-go/nightshift/internal/crumb/mail/mailtest"
	"github.com/nightshift-go/nightshift/internal/crumb/newsletter"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
)

// Whatever dies and comes twice, in whatever order: each subscriber gets one copy.
// Those alone whose mail's answer was lost may get a second: the stated window.
func TestEachSubscriberGetsOneCopy(t *testing.T) {
	for seed := range uint64(8) {
		w := newWorld(t, nightshifttest.Config{Seed: seed, Duplicates: true, Shuffle: true})
		everybody := append(w.crowd(newsletter.PageSize+30, int(seed%newsletter.Shards)), "x-refused", "x-lost")
		w.join("x-refused")
		w.join("x-lost")
		random := rand.New(rand.NewPCG(seed, 0))
		w.ses.Fail = func(_ int, in *sesv2.SendEmailInput) error {
			switch {
			case in.Destination.ToAddresses[0] == address("x-refused"):
				return &types.MessageRejected{}
			case random.IntN(5) == 0:
				return &types.TooManyRequestsException{}
			case random.IntN(20) == 0:
				return errors.New("the connection was refused")
			}
			return nil
		}
		lost := 0
		w.ses.Lose = func(_ int, in *sesv2.SendEmailInput) error {
			if in.Destination.ToAddresses[0] == address("x-lost") && lost == 0 {
				lost++
				return mailtest.ErrLost
			}
			return nil
		}
		w.begin()
		w.begin() // a second one for the same Monday
		w.RunAll(t.Context())

		got := w.ses.To()
		for _, id := range everybody {
			want := map[string]int{"x-refused": 0, "x-lost": 2}
			if n, special := want[id]; special && got[address(id)] != n || !special && got[address(id)] != 1 {
				t.Errorf("seed %d: %s got %d copies", seed, id, got[address(id)])
			}
		}
		n := len(everybody)
		if p, want := w.progress(monday), (newsletter.Progress{Total: n, Complete: true, Sent: n - 1, Refused: 1}); p != want {
			t.Errorf("seed %d: %+v, want %+v", seed, p, want)
		}
		if letters := w.Letters(tasks.Newsletter); len(letters) > 0 {
			t.Errorf("seed %d: a bad address made %d letters", seed, len(letters))
		}
	}
}

// The mail server goes away after every 250 mails, and comes back.
func TestOutagesDoNotBeginAnew(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.crowd(1000, -1)
	taken, away := 0, 0
	w.ses.Fail = func(int, *sesv2.SendEmailInput) error {
		if taken == 250 {
			taken, away = 0, 40
		}
		if away--; away > 0 {
			return errors.New("the mail server is away")
		}
		taken++
		return nil
	}
	w.begin()
	w.RunAll(t.Context())
	got := w.ses.To()
	for to, n := range got {
		if n != 1 {
			t.Errorf("%s got %d copies", to, n)
		}
	}
	if len(got) != 1000 || w.progress(monday).Sent != 1000 {
		t.Errorf("%d got a copy; %+v", len(got), w.progress(monday))
	}
}

// The issue's row is away until every job has died. Redriven, they go on where they
// were: nobody gets a second copy, nobody none.
func TestDeadFanOutsGoOnWhereTheyWere(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{Shuffle: true, Logger: slog.New(slog.DiscardHandler)})
	all := w.crowd(2*newsletter.PageSize+10, 3)
	var issue newsletter.Issue
	w.ses.Fail = func(call int, _ *sesv2.SendEmailInput) error {
		if call == 20 { // a page is enqueued, and twenty of it are sent
			var err error
			if issue, err = newsletter.Read(t.Context(), w.table, monday); err != nil {
				t.Error(err)
			}
			w.apply(w.table.Change().Delete(newsletter.IssueKey(monday), rows.Present, nil))
		}
		return nil
	}
	w.begin()
	w.RunAll(t.Context())
	p := w.progress(monday)
	if p.Sent != 20 || p.Total >= len(all) || p.Complete || p.Waiting() != p.Total-20 {
		t.Fatalf("before the redrive: %+v", p)
	}
	w.apply(w.table.Change().Put(newsletter.IssueKey(monday), issue, rows.Absent, nil))
	for _, letter := range w.Letters(tasks.Newsletter) {
		w.Redrive(t.Context(), letter.Job)
	}
	w.RunAll(t.Context())
	for to, n := range w.ses.To() {
		if n != 1 {
			t.Errorf("%s got %d copies", to, n)
		}
	}
	if p := w.progress(monday); p.Sent != len(all) || p.Waiting() != 0 || !p.Complete {
		t.Errorf("after it: %+v, want %d sent", p, len(all))
	}
}

func TestACopy(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.join("ada")
	w.publish("cake", "Cake & <b>cream</b>\r\nBcc: all@example.org")
	w.begin()
	w.RunAll(t.Context())
	in := w.ses.Sent()[0]
	m, token := in.Content.Simple, w.tokens.Of("ada")
	headers := map[string]string{}
	for _, h := range m.Headers {
		headers[*h.Name] = *h.Value
	}
	if want := "<" + mailtest.URL + newsletter.UnsubscribePath + "?token=" + token + ">"; headers["List-Unsubscribe"] != want {
		t.Errorf("List-Unsubscribe is %q, want %q", headers["List-Unsubscribe"], want)
	}
	if got := headers["List-Unsubscribe-Post"]; got != "List-Unsubscribe=One-Click" {
		t.Errorf("List-Unsubscribe-Post is %q", got)
	}
	if len(in.Destination.ToAddresses) != 1 || len(in.Destination.CcAddresses)+len(in.Destination.BccAddresses) > 0 {
		t.Errorf("it goes to %v", in.Destination)
	}
	page := mailtest.URL + newsletter.UnsubscribePage + "?token=" + token
	for _, part := range []string{"The soup", mailtest.URL + "/recipes/soup", page, "Reader ada"} {
		if !strings.Contains(*m.Body.Text.Data, part) || !strings.Contains(*m.Body.Html.Data, part) {
			t.Errorf("not in both parts: %q", part)
		}
	}
	if strings.Contains(*m.Body.Html.Data, "<b>cream") || strings.ContainsAny(*m.Subject.Data, "\r\n") {
		t.Errorf("a title does more than it should: %q\n%s", *m.Subject.Data, *m.Body.Html.Data)
	}
	tags := map[string]string{}
	for _, tag := range in.EmailTags {
		tags[*tag.Name] = *tag.Value
	}
	if tags["reader"] != "ada" || tags["issue"] != monday {
		t.Errorf("the tags are %v", tags)
	}
}

// What an issue says was decided when it began.
func TestEveryCopyIsTheSame(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.crowd(30, -1)
	w.ses.Fail = func(call int, _ *sesv2.SendEmailInput) error {
		if call == 10 {
			w.publish("cake", "Cake")
		}
		return nil
	}
	w.begin()
	w.RunAll(t.Context())
	for _, in := range w.ses.Sent() {
		if *in.Content.Simple.Subject.Data != "This week at Crumb: The soup" || strings.Contains(*in.Content.Simple.Body.Text.Data, "Cake") {
			t.Fatalf("a copy says %s: %s", *in.Content.Simple.Subject.Data, *in.Content.Simple.Body.Text.Data)
		}
	}
}

func TestAWeekWithoutRecipesHasNoIssue(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.apply(w.table.Change().Delete(recipes.RecentKey(recipes.Recipe{ID: "soup", PublishedAt: w.Now()}), rows.Present, nil))
	w.join("ada")
	id := w.begin()
	w.RunAll(t.Context())
	w.WantState(id, lifecycle.Cancelled)
	if _, err := newsletter.Read(t.Context(), w.table, monday); !errors.Is(err, newsletter.ErrNoIssue) {
		t.Errorf("the issue: %v", err)
	}
}

func TestWhoLeftMeanwhileGetsNone(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.crowd(20, 5)
	w.join("zoe") // the last of all
	w.ses.Fail = func(call int, _ *sesv2.SendEmailInput) error {
		if call == 1 {
			if err := newsletter.Unsubscribe(t.Context(), w.table, "zoe"); err != nil {
				t.Error(err)
			}
		}
		return nil
	}
	w.begin()
	w.RunAll(t.Context())
	if n := w.ses.To()[address("zoe")]; n > 0 {
		t.Errorf("zoe got %d copies", n)
	}
	p := w.progress(monday)
	if p.Sent != 20 || p.Sent+p.Skipped != p.Total || p.Waiting() != 0 {
		t.Errorf("%+v", p)
	}
}

func TestASecondBeginIsCancelled(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.join("ada")
	first, second := w.begin(), w.begin()
	w.RunAll(t.Context())
	states := map[lifecycle.State]int{w.State(first): 1}
	states[w.State(second)]++
	if states[lifecycle.Done] != 1 || states[lifecycle.Cancelled] != 1 {
		t.Errorf("they ended %v", states)
	}
}

func TestIssuesWithoutADay(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	for _, bad := range []string{"", "monday", "2026-1-5", "2026-02-30", "2026-01-05T09:00:00Z"} {
		if _, err := w.Producer.Enqueue(t.Context(), tasks.BeginIssue.With(tasks.Issue{Monday: bad})); err == nil {
			t.Errorf("the issue of %q is enqueued", bad)
		}
		if _, err := w.Producer.Enqueue(t.Context(), tasks.SendCopy.With(tasks.IssueCopy{Issue: tasks.Issue{Monday: bad}, Reader: "r"}), job.In(0)); err == nil {
			t.Errorf("a copy of the issue of %q is enqueued", bad)
		}
	}
}
