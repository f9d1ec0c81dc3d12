package newsletter_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/mail/mailtest"
	"github.com/nightshift-go/nightshift/internal/crumb/newsletter"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

const (
	monday = "2026-01-05" // the kit's first day
	secret = "0123456789abcdef0123456789abcdef"
)

// A world is a kit with subscribers, recipes and an SES.
type world struct {
	*nightshifttest.Kit
	t      *testing.T
	table  *rows.Table
	ses    *mailtest.SES
	tokens *newsletter.Tokens
}

func newWorld(t *testing.T, config nightshifttest.Config) *world {
	t.Helper()
	config.Tables, config.Most = rowstest.Tables(), 100_000
	w := &world{Kit: nightshifttest.New(t, config, tasks.BeginIssue, tasks.FanOut, tasks.SendCopy), t: t, ses: &mailtest.SES{}}
	w.table = rowstest.Of(t, w.Kit)
	tokens, err := newsletter.NewTokens([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	w.tokens = tokens
	n, err := newsletter.New(newsletter.Config{Table: w.table, Outbox: w.Outbox, Mailer: mailtest.Mailer(t, w.ses), Tokens: tokens, Now: w.Now})
	if err != nil {
		t.Fatal(err)
	}
	w.Serve(worker.Handle(tasks.BeginIssue, n.Begin), worker.Handle(tasks.FanOut, n.FanOut), worker.Handle(tasks.SendCopy, n.Send))
	w.publish("soup", "The soup")
	return w
}

// publish puts a recipe into the list of the day.
func (w *world) publish(id, title string) {
	w.t.Helper()
	r := recipes.Recipe{ID: id, Author: "a1", AuthorName: "Cook", Content: recipes.Content{Title: title}, PublishedAt: w.Now()}
	w.apply(w.table.Change().Put(recipes.RecentKey(r), r.Card(), "", nil))
}

func (w *world) apply(c *rows.Changes) {
	w.t.Helper()
	if err := c.Apply(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// join makes a reader, and a subscriber of them.
func (w *world) join(id string) {
	w.t.Helper()
	w.apply(w.table.Change().Put(readers.Key(id), readers.Reader{ID: id, Name: "Reader " + id, Email: address(id)}, "", nil))
	if err := newsletter.Subscribe(w.t.Context(), w.table, id); err != nil {
		w.t.Fatal(err)
	}
}

func address(id string) string { return id + "@example.org" }

// crowd makes n subscribers in a shard, or in all of them (-1).
func (w *world) crowd(n, shard int) (ids []string) {
	w.t.Helper()
	for i := 0; len(ids) < n; i++ {
		if id := fmt.Sprintf("r%05d", i); shard < 0 || newsletter.Spread(id) == shard {
			w.join(id)
			ids = append(ids, id)
		}
	}
	return ids
}

func (w *world) begin() job.ID {
	w.t.Helper()
	id, err := w.Producer.Enqueue(w.t.Context(), tasks.BeginIssue.With(tasks.Issue{Monday: monday}))
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) progress(monday string) newsletter.Progress {
	w.t.Helper()
	p, err := newsletter.ReadProgress(w.t.Context(), w.table, monday)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) reader(id string) readers.Reader {
	w.t.Helper()
	r, ok, err := rows.Get[readers.Reader](w.t.Context(), w.table, readers.Key(id))
	if err != nil || !ok {
		w.t.Fatal(ok, err)
	}
	return r
}

// subscribers gives how many rows there are for fan-outs to find.
func (w *world) subscribers() (n int) {
	w.t.Helper()
	for shard := range newsletter.Shards {
		page, err := rows.List[newsletter.Subscriber](w.t.Context(), w.table, rows.Range{Partition: fmt.Sprintf("subscribers#%d", shard)})
		if err != nil {
			w.t.Fatal(err)
		}
		n += len(page.Rows)
	}
	return n
}

func day(text string) time.Time {
	at, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		panic(err)
	}
	return at
}
