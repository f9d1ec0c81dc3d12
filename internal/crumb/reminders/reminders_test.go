package reminders_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/reminders"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

const month = 30 * 24 * time.Hour

type world struct {
	t     *testing.T
	kit   *nightshifttest.Kit
	table *rows.Table
	box   *outbox.Outbox
	*reminders.Reminders
	inboxes *notices.Notices
}

func newWorld(t *testing.T, config nightshifttest.Config) *world {
	t.Helper()
	config.Tables = rowstest.Tables()
	w := &world{t: t, kit: nightshifttest.New(t, config, tasks.Remind, tasks.NudgeDraft, tasks.SendUrgent)}
	w.table = rowstest.Of(t, w.kit)
	var err error
	if w.inboxes, err = notices.New(w.table, w.kit.Now); err != nil {
		t.Fatal(err)
	}
	if w.box, err = outbox.New(outbox.Config{Jobs: w.kit.Jobs, Producer: w.kit.Producer}); err != nil {
		t.Fatal(err)
	}
	w.Reminders, err = reminders.New(reminders.Config{
		Rows: w.table, Jobs: w.kit.Jobs, Producer: w.kit.Producer, Outbox: w.box, Now: w.kit.Now, Random: rand.NewChaCha8([32]byte{1}),
	})
	if err != nil {
		t.Fatal(err)
	}
	bell, err := reminders.NewBell(reminders.BellConfig{Rows: w.table, Outbox: w.box, Now: w.kit.Now})
	if err != nil {
		t.Fatal(err)
	}
	w.kit.Serve(worker.Handle(tasks.Remind, bell.Remind), worker.Handle(tasks.NudgeDraft, bell.Nudge))
	w.put(recipes.Recipe{ID: "soup", State: recipes.Published, Content: recipes.Content{Title: "Soup"}})
	return w
}

// inbox lists a reader's notices.
func (w *world) inbox(reader string) (texts []string) {
	w.t.Helper()
	list, _, err := w.inboxes.List(w.t.Context(), reader, "")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, n := range list {
		if n.Read {
			w.t.Errorf("%q is shown as read, and nobody has read it", n.Text)
		}
		texts = append(texts, n.Text+" "+n.Link)
	}
	return texts
}

func (w *world) put(r recipes.Recipe) {
	w.t.Helper()
	if err := w.table.Change().Put(recipes.Key(r.ID), r, "", nil).Apply(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) add(at time.Time) job.ID {
	w.t.Helper()
	reminder, err := w.Add(w.t.Context(), "ada", "soup", at)
	if err != nil {
		w.t.Fatal(err)
	}
	return job.ID(reminder.ID)
}

// mails gives the mails that were asked for, each by its template.
func (w *world) mails() (templates []string) {
	w.t.Helper()
	for _, mail := range nightshifttest.Enqueued(w.kit, tasks.SendUrgent) {
		templates = append(templates, mail.Args.Template+" to "+mail.Args.To)
	}
	return templates
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// In 30 days, and not before: a notice and a mail, also where the worker died in
// between.
func TestInThirtyDays(t *testing.T) {
	for _, duplicates := range []bool{false, true} {
		w := newWorld(t, nightshifttest.Config{Duplicates: duplicates})
		due := w.kit.Now().Add(month)
		id := w.add(due)
		list, err := w.List(t.Context(), "ada")
		if err != nil || len(list) != 1 || !list[0].At.Equal(due) || list[0].Title != "Soup" {
			t.Fatalf("the list is %+v, %v", list, err)
		}
		w.kit.Advance(t.Context(), month-time.Minute)
		want(t, "a minute early", w.inbox("ada"), []string{})
		w.kit.Advance(t.Context(), 5*time.Minute)
		want(t, "the inbox", w.inbox("ada"), []string{"You wanted to be reminded of “Soup”. /recipes/soup"})
		want(t, "the mails", w.mails(), []string{"reminder to ada"})
		if late := w.kit.Record(id).Started.Sub(due); late < 0 || late > 2*time.Second && !duplicates {
			t.Errorf("it started %v after its time", late)
		}
		if list, err := w.List(t.Context(), "ada"); err != nil || len(list) != 0 {
			t.Errorf("afterwards the list is %+v, %v", list, err)
		}
	}
}

func TestMove(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	id := w.add(w.kit.Now().Add(month))
	sooner := w.kit.Now().Add(time.Hour)
	if err := w.Move(t.Context(), "ada", id, sooner); err != nil {
		t.Fatal(err)
	}
	if list, err := w.List(t.Context(), "ada"); err != nil || !list[0].At.Equal(sooner) {
		t.Errorf("the list is %+v, %v", list, err)
	}
	w.kit.Advance(t.Context(), time.Hour+time.Minute)
	want(t, "the mails", w.mails(), []string{"reminder to ada"})
	if err := w.Move(t.Context(), "ada", id, w.kit.Now().Add(time.Hour)); !errors.Is(err, reminders.ErrNone) {
		t.Errorf("moving one that is over: %v", err)
	}
}

func TestCancel(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	id := w.add(w.kit.Now().Add(month))
	if err := w.Cancel(t.Context(), "eve", id); !errors.Is(err, reminders.ErrNone) {
		t.Fatalf("somebody else cancels it: %v", err)
	}
	if err := w.Cancel(t.Context(), "ada", id); err != nil {
		t.Fatal(err)
	}
	w.kit.Advance(t.Context(), month+time.Hour)
	want(t, "the inbox", w.inbox("ada"), []string{})
	want(t, "the mails", w.mails(), []string{})
	if list, err := w.List(t.Context(), "ada"); err != nil || len(list) != 0 {
		t.Errorf("the list is %+v, %v", list, err)
	}
}

func TestWhatCanNotBeAdded(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.put(recipes.Recipe{ID: "draft", State: recipes.Draft})
	now := w.kit.Now()
	for name, c := range map[string]struct {
		recipe string
		at     time.Time
		want   error
	}{
		"yesterday":   {"soup", now.Add(-24 * time.Hour), reminders.ErrTime},
		"two years":   {"soup", now.Add(2 * 366 * 24 * time.Hour), reminders.ErrTime},
		"no recipe":   {"nothing", now.Add(time.Hour), reminders.ErrNoRecipe},
		"not for all": {"draft", now.Add(time.Hour), reminders.ErrNoRecipe},
	} {
		if _, err := w.Add(t.Context(), "ada", c.recipe, c.at); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for range reminders.Most {
		w.add(now.Add(time.Hour))
	}
	if _, err := w.Add(t.Context(), "ada", "soup", now.Add(time.Hour)); !errors.Is(err, reminders.ErrTooMany) {
		t.Errorf("one too many: %v", err)
	}
}

// A recipe that went away between needs no reminder.
func TestTheRecipeIsGone(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	id := w.add(w.kit.Now().Add(time.Hour))
	if err := w.table.Change().Delete(recipes.Key("soup"), "", nil).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.kit.Advance(t.Context(), time.Hour+time.Minute)
	w.kit.WantState(id, lifecycle.Cancelled)
	want(t, "the mails", w.mails(), []string{})
	left, err := rows.List[map[string]any](t.Context(), w.table, rows.Range{Partition: "reminders#ada"})
	if err != nil || len(left.Rows) != 0 {
		t.Errorf("left on the list for good: %v, %v", left.Rows, err)
	}
}

func TestNudge(t *testing.T) {
	for state, mails := range map[recipes.State][]string{
		recipes.Draft:     {"draft to ada"},
		recipes.Published: {}, // finished while the nudge was on its way
	} {
		w := newWorld(t, nightshifttest.Config{Duplicates: true})
		w.put(recipes.Recipe{ID: "stew", State: state, Author: "ada", Content: recipes.Content{Title: "Stew"}})
		_, err := w.kit.Producer.Enqueue(t.Context(), tasks.NudgeDraft.With(tasks.DraftNudge{Author: "ada", Recipe: "stew"}), job.In(tasks.NudgeAfter))
		if err != nil {
			t.Fatal(err)
		}
		w.kit.Advance(t.Context(), tasks.NudgeAfter-time.Second)
		want(t, "early", w.mails(), []string{})
		w.kit.Advance(t.Context(), 5*time.Minute)
		want(t, string(state), w.mails(), mails)
	}
}
