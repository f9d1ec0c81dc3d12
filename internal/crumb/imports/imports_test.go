package imports_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/imports"
	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

const upload = "uploads/everyone/recipes1"

type world struct {
	t     *testing.T
	kit   *nightshifttest.Kit
	table *rows.Table
	file  string
	full  bool
	ticks int
	*imports.Desk
}

// Get is the bucket: it has one file, or none.
func (w *world) Get(_ context.Context, _ string, limit int64) ([]byte, string, error) {
	switch {
	case w.file == "":
		return nil, "", objects.ErrMissing
	case int64(len(w.file)) > limit:
		return nil, "", objects.ErrTooLarge
	}
	return []byte(w.file), tasks.ImportLines, nil
}

// AdmitFor is the gate of the queue.
func (w *world) AdmitFor(context.Context, job.Policy) admission.Decision {
	return admission.Decision{Admitted: !w.full, RetryAfter: time.Minute}
}

// step is a clock that goes on by itself.
func (w *world) step() time.Time {
	w.ticks++
	return w.kit.Now().Add(time.Duration(w.ticks) * 7 * time.Second)
}

func newWorld(t *testing.T, config nightshifttest.Config, file string) *world {
	t.Helper()
	config.Tables = rowstest.Tables()
	w := &world{t: t, file: file, kit: nightshifttest.New(t, config, tasks.SplitImport, tasks.ImportRecipe, tasks.FinishImport)}
	w.table = rowstest.Of(t, w.kit)
	box, err := outbox.New(outbox.Config{Jobs: w.kit.Jobs, Producer: w.kit.Producer})
	if err != nil {
		t.Fatal(err)
	}
	w.Desk, err = imports.NewDesk(imports.DeskConfig{
		Rows: w.table, Jobs: w.kit.Jobs, Outbox: box, Producer: w.kit.Producer, Gate: w, Now: w.kit.Now, Random: rand.NewChaCha8([32]byte{1}),
	})
	if err != nil {
		t.Fatal(err)
	}
	importer, err := imports.New(imports.Config{Rows: w.table, Objects: w, Producer: w.kit.Producer, Now: w.step})
	if err != nil {
		t.Fatal(err)
	}
	w.kit.Serve(worker.Handle(tasks.SplitImport, importer.Split), worker.Handle(tasks.ImportRecipe, importer.Keep), worker.Handle(tasks.FinishImport, importer.Finish))
	ada := readers.Reader{ID: "ada", Name: "Ada"}
	if err := w.table.Change().Put(readers.Key(ada.ID), ada, "", nil).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) start() imports.Status {
	w.t.Helper()
	status, err := w.Start(w.t.Context(), "ada", upload)
	if err != nil {
		w.t.Fatal(err)
	}
	return status
}

func (w *world) status(id string) imports.Status {
	w.t.Helper()
	status, err := w.Status(w.t.Context(), "ada", id)
	if err != nil {
		w.t.Fatal(err)
	}
	return status
}

// titles are those of the drafts that Ada has.
func (w *world) titles() map[string]int {
	w.t.Helper()
	titles := map[string]int{}
	partition := recipes.UnpublishedKey(recipes.Recipe{Author: "ada"}).Partition
	for card, err := range rows.All[recipes.Card](w.t.Context(), w.table, rows.Range{Partition: partition}) {
		if err != nil {
			w.t.Fatal(err)
		}
		titles[card.Title]++
	}
	return titles
}

func (w *world) told() string {
	w.t.Helper()
	inbox, err := notices.New(w.table, w.kit.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	list, _, err := inbox.List(w.t.Context(), "ada", "")
	if err != nil {
		w.t.Fatal(err)
	}
	var texts []string
	for _, n := range list {
		if n.Read {
			w.t.Errorf("%q is shown as read, and nobody has read it", n.Text)
		}
		texts = append(texts, n.Text)
	}
	return strings.Join(texts, "\n")
}

// Good recipes come in, each once; bad ones are reported by their lines; the reader is
// told when all had their turn. Workers die, messages come in any order.
func TestImport(t *testing.T) {
	for seed := range uint64(4) {
		w := newWorld(t, nightshifttest.Config{Duplicates: seed > 0, Shuffle: seed > 1, Seed: seed}, strings.Join([]string{
			`{"title":"Soup","ingredients":[],"steps":[]}`,
			`{"title":"","ingredients":[],"steps":[]}`,
			`not json`,
			`{"@type":"Recipe","name":"Stew","recipeIngredient":["1 onion"]}`,
			`{"title":"Cake","ingredients":[],"steps":[]}`,
		}, "\n"))
		id := w.start().ID
		if status := w.status(id); status.State != lifecycle.Queued || status.Lines != 0 {
			t.Errorf("at first %+v", status)
		}
		w.kit.RunAll(t.Context())
		status := w.status(id)
		var lines []int
		for _, bad := range status.Bad {
			lines = append(lines, bad.Line)
		}
		if status.State != lifecycle.Done || status.Lines != 5 || status.Done != 5 || status.Imported != 3 || fmt.Sprint(lines) != "[2 3]" {
			t.Errorf("seed %d: at last %+v", seed, status)
		}
		if got := fmt.Sprint(w.titles()); got != "map[Cake:1 Soup:1 Stew:1]" {
			t.Errorf("seed %d: the drafts are %s", seed, got)
		}
		if got, want := w.told(), "Your import is finished: 3 recipes came in, and 2 did not."; got != want {
			t.Errorf("seed %d: the inbox says %q, want %q", seed, got, want)
		}
	}
}

// An import that runs while its status is read is shown as it was, or as it is, and not
// as a mixture.
func TestItRunsWhileSomebodyLooks(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{}, `{"title":"Soup","ingredients":[],"steps":[]}`)
	id := w.start().ID
	w.Desk.Rows = rowstest.Interrupted(t, w.kit, func() { w.kit.RunAll(t.Context()) })
	if got := w.status(id); got.State != lifecycle.Queued || got.Lines != 0 || got.Imported != 0 {
		t.Errorf("%+v", got)
	}
	if got := w.status(id); got.State != lifecycle.Done || got.Lines != 1 || got.Imported != 1 || got.Done != 1 {
		t.Errorf("afterwards %+v", got)
	}
}

// A large file is split by several runs.
func TestALargeFile(t *testing.T) {
	var file strings.Builder
	const count = 2300
	for i := range count {
		fmt.Fprintf(&file, `{"title":"Soup %d","ingredients":[],"steps":[]}`+"\n", i)
	}
	w := newWorld(t, nightshifttest.Config{Most: 20_000}, file.String())
	id := w.start().ID
	w.kit.RunAll(t.Context())
	runs := 0
	for _, step := range w.kit.History(job.ID(id)) {
		if step.State == lifecycle.Running {
			runs++
		}
	}
	if status := w.status(id); status.Imported != count || status.Done != count || runs < 2 {
		t.Errorf("after %d runs %+v", runs, status)
	}
	for title, times := range w.titles() {
		if times != 1 {
			t.Errorf("%s came in %d times", title, times)
		}
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	for name, file := range map[string]string{"missing": "", "too large": strings.Repeat("x", tasks.MostImportBytes+1)} {
		w := newWorld(t, nightshifttest.Config{}, file)
		id := w.start().ID
		w.kit.RunAll(t.Context())
		if status := w.status(id); status.State != lifecycle.Dead || status.Error == "" {
			t.Errorf("%s: %+v", name, status)
		}
	}
	// A file without recipes is finished at once.
	w := newWorld(t, nightshifttest.Config{}, "\n")
	id := w.start().ID
	w.kit.RunAll(t.Context())
	if status := w.status(id); status.State != lifecycle.Done || status.Lines != 0 {
		t.Errorf("an empty file: %+v", status)
	}
}

// Of very many bad lines the first are reported: to write all of them would take longer
// than a run may.
func TestManyBadLines(t *testing.T) {
	const bad = 5000
	w := newWorld(t, nightshifttest.Config{}, strings.Repeat("soup\n", bad)+`{"title":"Soup","ingredients":[],"steps":[]}`)
	id := w.start().ID
	w.kit.RunAll(t.Context())
	status := w.status(id)
	if status.State != lifecycle.Done || status.Lines != bad+1 || status.Imported != 1 || len(status.Bad) != 100 || status.Bad[99].Line != 100 {
		t.Errorf("%s, %d lines, %d imported, %d bad", status.State, status.Lines, status.Imported, len(status.Bad))
	}
	beyond, err := rows.List[imports.Bad](t.Context(), w.table, rows.Range{Partition: "import#" + id, Prefix: "bad#", Limit: 2 * bad})
	if err != nil || len(beyond.Rows) > 100 {
		t.Errorf("%d rows of bad lines, %v", len(beyond.Rows), err)
	}
}

func TestTooManyRecipes(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{}, strings.Repeat("{}\n", imports.MaxItems+1))
	id := w.start().ID
	w.kit.RunAll(t.Context())
	if status := w.status(id); status.State != lifecycle.Dead || !strings.Contains(status.Error, "in parts") {
		t.Errorf("%+v", status)
	}
}

func TestWhatIsNotStarted(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{}, "{}")
	if _, err := w.Start(t.Context(), "ada", "exports/eve/1.zip"); !errors.Is(err, imports.ErrKey) {
		t.Errorf("a foreign key: %v", err)
	}
	id := w.start().ID
	if _, err := w.Status(t.Context(), "eve", id); !errors.Is(err, imports.ErrNone) {
		t.Errorf("somebody else sees it: %v", err)
	}
	w.full = true
	var full *gates.FullError
	if _, err := w.Start(t.Context(), "ada", upload); !errors.As(err, &full) {
		t.Errorf("the queue is full, and it says %v", err)
	}
}
