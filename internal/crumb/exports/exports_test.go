package exports_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/exports"
	"github.com/nightshift-go/nightshift/internal/crumb/gates"
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

// written is how many recipes the author of the tests has.
const written = 57

type world struct {
	t      *testing.T
	kit    *nightshifttest.Kit
	table  *rows.Table
	bucket *bucket
	full   bool
	ticks  int
	*exports.Desk
}

// AdmitFor is the gate of the queue.
func (w *world) AdmitFor(context.Context, job.Policy) admission.Decision {
	return admission.Decision{Admitted: !w.full, RetryAfter: 40 * time.Second}
}

func newWorld(t *testing.T, config nightshifttest.Config) *world {
	t.Helper()
	config.Tables = rowstest.Tables()
	w := &world{t: t, kit: nightshifttest.New(t, config, tasks.Export, tasks.SendUrgent), bucket: newBucket()}
	w.table = rowstest.Of(t, w.kit)
	box := must(outbox.New(outbox.Config{Jobs: w.kit.Jobs, Producer: w.kit.Producer}))(t)
	links := must(exports.NewLinks([]byte("0123456789abcdef0123456789abcdef")))(t)
	w.Desk = must(exports.NewDesk(exports.DeskConfig{
		Rows: w.table, Jobs: w.kit.Jobs, Outbox: box, Gate: w, Links: links, Now: w.kit.Now, Random: rand.NewChaCha8([32]byte{1}),
		Presign: func(_ context.Context, key string, life time.Duration) (string, error) {
			return fmt.Sprint("https://bucket/", key, "?", life), nil
		},
	}))(t)
	exporter := must(exports.NewExporter(exports.ExporterConfig{
		Rows: w.table, Objects: w.bucket, Outbox: box, Links: links, Now: w.step, Part: 2000, Run: 7 * time.Second,
	}))(t)
	w.kit.Serve(worker.HandleResult(tasks.Export, exporter.Export))
	w.kit.Serve(worker.Handle(tasks.SendUrgent, func(context.Context, *job.Job[tasks.SendMail]) error { return nil }))
	w.fill()
	return w
}

// step is a clock that goes on by itself, so that a run of seven seconds has some
// parts.
func (w *world) step() time.Time {
	w.ticks++
	return w.kit.Now().Add(time.Duration(w.ticks) * 2 * time.Second)
}

func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func (w *world) put(key rows.Key, row any) {
	w.t.Helper()
	if err := w.table.Change().Put(key, row, "", nil).Apply(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// fill gives Ada an account, recipes with some photographs, and a draft.
func (w *world) fill() {
	w.put(readers.Key("ada"), readers.Reader{ID: "ada", Name: "Ada", Email: "ada@example.org", Password: []byte("secret hash")})
	at := w.kit.Now()
	for i := range written {
		r := recipes.Recipe{
			ID: fmt.Sprintf("r%02d", i), State: recipes.Published, Author: "ada", PublishedAt: at.Add(time.Duration(i) * time.Second),
			Content: recipes.Content{Title: "Soup <" + fmt.Sprint(i) + ">", Summary: strings.Repeat(fmt.Sprint(i), 300)},
		}
		if i%10 == 0 {
			r.PhotoKey = fmt.Sprintf("uploads/everyone/photo%d", i)
			w.bucket.objects[fmt.Sprintf("photos/photo%d/large.jpg", i)] = bytes.Repeat([]byte{0xff, byte(i)}, 900)
		}
		w.put(recipes.Key(r.ID), r)
		w.put(recipes.AuthorKey(r), r.Card())
	}
	draft := recipes.Recipe{ID: "draft", State: recipes.Draft, Author: "ada", CreatedAt: at}
	w.put(recipes.Key(draft.ID), draft)
	w.put(recipes.UnpublishedKey(draft), draft.Card())
}

func (w *world) start(reader string) exports.Status {
	w.t.Helper()
	status, err := w.Start(w.t.Context(), reader)
	if err != nil {
		w.t.Fatal(err)
	}
	return status
}

func (w *world) status(id string) exports.Status {
	w.t.Helper()
	status, err := w.Status(w.t.Context(), "ada", id)
	if err != nil {
		w.t.Fatal(err)
	}
	return status
}

// files reads an archive: the contents by the names.
func (w *world) files(id string) map[string]string {
	w.t.Helper()
	data := w.bucket.objects["exports/ada/"+id+".zip"]
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		w.t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.File {
		body, err := f.Open()
		if err != nil {
			w.t.Fatal(err)
		}
		text, err := io.ReadAll(body)
		if _, twice := files[f.Name]; err != nil || twice {
			w.t.Fatalf("%s: %v, twice: %v", f.Name, err, twice)
		}
		files[f.Name] = string(text)
	}
	return files
}

// wantAll checks that everything of Ada's is in the archive, and one mail on its way.
func (w *world) wantAll(id string) {
	w.t.Helper()
	files := w.files(id)
	if want := 1 + written + 6 + 1; len(files) != want {
		w.t.Errorf("%d files, want %d", len(files), want)
	}
	for name, part := range map[string]string{
		"account-001.json": "ada@example.org", "recipes/r00.json": "Soup <0>", "recipes/r56.json": "Soup <56>",
		"drafts/draft.json": `"draft"`, "recipes/r50.jpg": "\xff2\xff2",
	} {
		if !strings.Contains(files[name], part) {
			w.t.Errorf("%s does not hold %q", name, part)
		}
	}
	if strings.Contains(files["account-001.json"], "password") {
		w.t.Error("the password's hash is in the archive")
	}
	if mail := nightshifttest.EnqueuedOne(w.kit, tasks.SendUrgent).Args; mail.To != "ada" || mail.Template != "export-ready" {
		w.t.Errorf("the mail is %+v", mail)
	}
}

// An export takes several runs, and says how far it is.
func TestExport(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	status := w.start("ada")
	if status.State != lifecycle.Queued || status.URL != "" || status.StatusURL != "/exports/"+status.ID {
		t.Errorf("at first %+v", status)
	}
	w.kit.RunAll(t.Context())
	w.wantAll(status.ID)
	runs := 0
	for _, step := range w.kit.History(job.ID(status.ID)) {
		if step.State == lifecycle.Running {
			runs++
		}
	}
	if runs < 3 || w.bucket.parts < 6 || w.bucket.completed != 1 {
		t.Errorf("%d steps of running, %d parts, completed %d times: it did not continue", runs, w.bucket.parts, w.bucket.completed)
	}
	done := w.status(status.ID)
	if done.State != lifecycle.Done || done.Bytes != int64(len(w.bucket.objects["exports/ada/"+status.ID+".zip"])) || !strings.HasPrefix(done.URL, "/exports/"+status.ID+"/file?") {
		t.Errorf("at last %+v", done)
	}
	if record := w.kit.Record(job.ID(status.ID)); record.Attempt != 1 {
		t.Errorf("it spent %d attempts", record.Attempt)
	}
}

// The process dies in every place once: after each call to the bucket. The file is
// the same, and there is one mail.
func TestADeathAnywhere(t *testing.T) {
	whole := newWorld(t, nightshifttest.Config{})
	first := whole.start("ada")
	whole.kit.RunAll(t.Context())
	want := whole.files(first.ID)
	for _, call := range []string{"begin", "part", "complete"} {
		for nth := 1; nth <= whole.bucket.parts; nth++ {
			w := newWorld(t, nightshifttest.Config{})
			calls := 0
			w.bucket.after = func(did string) error {
				if did == call {
					calls++
				}
				if did == call && calls == nth {
					return errors.New("the answer was lost")
				}
				return nil
			}
			status := w.start("ada")
			w.kit.RunAll(t.Context())
			w.kit.WantState(job.ID(status.ID), lifecycle.Done)
			w.wantAll(status.ID)
			if got := w.files(status.ID); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("after %s %d the files differ", call, nth)
			}
			if calls < nth {
				break // there is no such call
			}
		}
	}
}

// The process of the first run dies after it returned.
func TestADeathAtTheEnd(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{Duplicates: true})
	status := w.start("ada")
	w.kit.RunAll(t.Context())
	w.wantAll(status.ID)
}

// The bucket gives uploads up after a day; the export begins anew by itself.
func TestTheUploadIsGivenUp(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	gone := false
	w.bucket.after = func(did string) error {
		if did == "part" && w.bucket.parts == 3 && !gone {
			gone = true
			w.bucket.giveUp()
		}
		return nil
	}
	status := w.start("ada")
	w.kit.RunAll(t.Context())
	w.wantAll(status.ID)
	if !gone || w.bucket.begun != 2 {
		t.Errorf("begun %d times", w.bucket.begun)
	}
}

// A draft that is published while the export runs is in the archive, in either folder
// or both, and no name is there twice.
func TestADraftThatIsPublishedMeanwhile(t *testing.T) {
	for nth := 1; nth <= 3; nth++ {
		w := newWorld(t, nightshifttest.Config{})
		w.bucket.after = func(did string) error {
			if did != "part" || w.bucket.parts != nth {
				return nil
			}
			draft, _, err := rows.Get[recipes.Recipe](t.Context(), w.table, recipes.Key("draft"))
			published := draft
			published.State, published.PublishedAt = recipes.Published, w.kit.Now().Add(-time.Hour) // the first of the list
			return errors.Join(err, w.table.Change().Put(recipes.Key("draft"), published, "", nil).
				Delete(recipes.UnpublishedKey(draft), "", nil).Put(recipes.AuthorKey(published), published.Card(), "", nil).Apply(t.Context()))
		}
		status := w.start("ada")
		w.kit.RunAll(t.Context())
		if files := w.files(status.ID); files["drafts/draft.json"] == "" && files["recipes/draft.json"] == "" {
			t.Errorf("published after part %d it is in neither folder", nth)
		}
	}
}

// An export that ends while its status is read is under way, or done.
func TestItEndsWhileSomebodyLooks(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	status := w.start("ada")
	w.Desk.Rows = rowstest.Interrupted(t, w.kit, func() { w.kit.RunAll(t.Context()) })
	if got := w.status(status.ID); got.State != lifecycle.Queued {
		t.Errorf("%+v", got)
	}
	if got := w.status(status.ID); got.State != lifecycle.Done || got.URL == "" {
		t.Errorf("afterwards %+v", got)
	}
}

func TestOneAtATime(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	first := w.start("ada")
	if again := w.start("ada"); again.ID != first.ID {
		t.Errorf("a second export was made: %s and %s", first.ID, again.ID)
	}
	w.kit.RunAll(t.Context())
	if next := w.start("ada"); next.ID == first.ID {
		t.Error("after the first is done there is no second")
	}
	if _, err := w.Status(t.Context(), "eve", first.ID); !errors.Is(err, exports.ErrNone) {
		t.Errorf("somebody else sees it: %v", err)
	}
	if _, err := w.Latest(t.Context(), "eve"); !errors.Is(err, exports.ErrNone) {
		t.Errorf("somebody without exports has one: %v", err)
	}
}

func TestFull(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.full = true
	var full *gates.FullError
	if _, err := w.Start(t.Context(), "ada"); !errors.As(err, &full) || full.Decision.RetryAfter != 40*time.Second {
		t.Errorf("the queue is full, and it says %v", err)
	}
}
