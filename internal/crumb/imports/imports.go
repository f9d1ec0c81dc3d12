// Package imports brings recipes in by the file: JSON lines, Schema.org's recipes, or
// pages that hold them.
//
// One job splits the file into a job for each recipe. They are a batch: when all have
// ended, whichever way, a last job tells the reader how it went. A recipe that is
// bad is reported by its line, and keeps no other from coming in.
package imports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

const (
	// keepRows is how long the rows of an import are kept: no longer than its jobs.
	keepRows = 14 * 24 * time.Hour
	// chunk is how many recipes are enqueued between two looks at the clock.
	chunk = 500
)

// An Import is what the site keeps of one. Key: import#<id>, "import".
type Import struct {
	ID        string    `dynamodbav:"id"`
	Reader    string    `dynamodbav:"reader"`
	CreatedAt time.Time `dynamodbav:"created_at"`
	// Lines counts what was found in the file, good or bad; set when it is split.
	Lines int `dynamodbav:"lines,omitempty"`
	// Refused says why the whole file was; empty: it was not.
	Refused string `dynamodbav:"refused,omitempty"`
	Expires int64  `dynamodbav:"ttl"`
}

func keyOf(id string) rows.Key { return rows.Key{Partition: "import#" + id, Sort: "import"} }

// A Bad is a recipe that did not come in. Key: import#<id>, bad#<number>.
type Bad struct {
	// Line is where it begins in the file, and Number which one of the file it is,
	// both from 1: some files have all on one line.
	Line   int    `json:"line" dynamodbav:"line"`
	Number int    `json:"number" dynamodbav:"number"`
	Reason string `json:"reason" dynamodbav:"reason"`
}

type badRow struct {
	Bad
	Expires int64 `dynamodbav:"ttl"`
}

const badPlace = "bad#"

func badKey(id string, number int) rows.Key {
	return rows.Key{Partition: keyOf(id).Partition, Sort: fmt.Sprintf("%s%08d", badPlace, number)}
}

// batchOf names the batch of an import's recipes.
func batchOf(id string) string { return "import/" + id }

// Config is what an Importer works with. Rows, Objects, Producer and Now are required.
type Config struct {
	Rows     *rows.Table
	Objects  objects.Getter
	Producer *producer.Producer
	Now      func() time.Time
	// Run is how long a run splits before it lets another go on; zero means
	// DefaultRun.
	Run time.Duration
}

// DefaultRun leaves most of the task's timeout for what is under way.
const DefaultRun = 20 * time.Second

// An Importer does the jobs of imports. It may be used by many goroutines.
type Importer struct{ Config }

// New makes an Importer.
func New(config Config) (*Importer, error) {
	if config.Rows == nil || config.Objects == nil || config.Producer == nil || config.Now == nil {
		return nil, errors.New("imports: Config needs Rows, Objects, Producer and Now")
	}
	if config.Run == 0 {
		config.Run = DefaultRun
	}
	return &Importer{config}, nil
}

// Split is the handler that makes a job of each recipe of a file. A job's id follows
// from its place in the file: a run that is repeated enqueues none twice.
func (i *Importer) Split(ctx context.Context, j *job.Job[tasks.ImportFile]) error {
	items, err := i.items(ctx, j)
	if err != nil {
		return err
	}
	from, _, err := job.Cursor[int](j)
	if err != nil {
		return err
	}
	good, err := i.sort(ctx, j, items)
	if err != nil {
		return err
	}
	batch, err := i.Producer.NewBatch(ctx, batchOf(j.Args.Import), len(good), tasks.FinishImport.With(j.Args))
	if err != nil {
		return err
	}
	for until := i.Now().Add(i.Run); from < len(good); from += chunk {
		if i.Now().After(until) {
			return job.Continue(from)
		}
		if err := batch.Add(ctx, from, good[from:min(from+chunk, len(good))], job.ByClient(j.Args.Reader)); err != nil {
			return err
		}
	}
	return nil
}

// items reads the file. One that can't be imported at all is refused in the row that
// its page shows, and the job is dead.
func (i *Importer) items(ctx context.Context, j *job.Job[tasks.ImportFile]) ([]item, error) {
	data, contentType, err := i.Objects.Get(ctx, j.Args.Key, tasks.MostImportBytes)
	var items []item
	if err == nil {
		items, err = split(data, contentType, MaxItems)
	}
	var why string
	switch {
	case err == nil:
		return items, nil
	case errors.Is(err, objects.ErrMissing):
		why = "The file is not there, or not any more: send it again."
	case errors.Is(err, objects.ErrTooLarge):
		why = fmt.Sprintf("The file is too large: %d MiB are allowed.", tasks.MostImportBytes>>20)
	case errors.Is(err, errKind):
		why = "This is no file of recipes: send JSON lines, Schema.org's JSON-LD, or a page that holds it."
	case errors.Is(err, errMany):
		why = fmt.Sprintf("The file has more than %d recipes: send it in parts.", MaxItems)
	default:
		return nil, err
	}
	refuse := i.Rows.Change().Update(keyOf(j.Args.Import), "SET #refused = :why", rows.Present, rows.Values{":why": why})
	if err := refuse.Apply(ctx); err != nil && !errors.Is(err, rows.ErrCondition) {
		return nil, err
	}
	return nil, job.Fail(err)
}

// sort reports what is bad, and gives the requests of what is good. Of many that are
// bad it reports the first, which are all that the page shows.
func (i *Importer) sort(ctx context.Context, j *job.Job[tasks.ImportFile], items []item) ([]job.Request, error) {
	var good []job.Request
	reported := 0
	for n, one := range items {
		switch {
		case one.bad == "":
			good = append(good, tasks.ImportRecipe.With(tasks.ImportedLine{
				Import: j.Args.Import, Reader: j.Args.Reader, Line: one.line, Number: n + 1, Recipe: one.data,
			}))
		case reported < mostBad:
			if err := i.report(ctx, j.Args.Import, j.CreatedAt, Bad{one.line, n + 1, one.bad}); err != nil {
				return nil, err
			}
			reported++
		}
	}
	count := i.Rows.Change().Update(keyOf(j.Args.Import), "SET #lines = :n", rows.Present, rows.Values{":n": len(items)})
	if err := count.Apply(ctx); err != nil && !errors.Is(err, rows.ErrCondition) {
		return nil, err
	}
	return good, nil
}

// report writes what is wrong with a recipe: once, since its number is the key.
func (i *Importer) report(ctx context.Context, id string, at time.Time, bad Bad) error {
	row := badRow{bad, at.Add(keepRows).Unix()}
	return i.Rows.Change().Put(badKey(id, bad.Number), row, "", nil).Apply(ctx)
}

// Keep is the handler of one recipe. The draft's id is the job's, and the draft is
// there with the end of the job: it is there once.
func (i *Importer) Keep(ctx context.Context, j *job.Job[tasks.ImportedLine]) error {
	content, err := contentOf(j.Args.Recipe)
	if err != nil {
		if err := i.report(ctx, j.Args.Import, j.CreatedAt, Bad{j.Args.Line, j.Args.Number, err.Error()}); err != nil {
			return err
		}
		return job.Discard(err.Error())
	}
	recipe, err := i.draft(ctx, j, content)
	if err != nil {
		return err
	}
	writes, err := recipes.AddDraft(i.Rows.Change(), recipe).Writes()
	if err != nil {
		return err
	}
	return worker.Commit(ctx, j, writes...)
}

func (i *Importer) draft(ctx context.Context, j *job.Job[tasks.ImportedLine], content recipes.Content) (recipes.Recipe, error) {
	author, ok, err := rows.Get[readers.Reader](ctx, i.Rows, readers.Key(j.Args.Reader))
	if err != nil {
		return recipes.Recipe{}, err
	}
	if !ok {
		return recipes.Recipe{}, job.Discard("the reader is gone")
	}
	return recipes.Recipe{
		ID: string(j.ID), State: recipes.Draft, Version: 1, Author: author.ID, AuthorName: author.Name,
		Content: content, CreatedAt: j.CreatedAt.UTC(), ChangedAt: j.CreatedAt.UTC(),
	}, nil
}

// Finish is the handler of the end: when the last recipe has had its turn, the reader
// is told how many came in.
func (i *Importer) Finish(ctx context.Context, j *job.Job[tasks.ImportFile]) error {
	batch, err := worker.Batch(ctx, j)
	if err != nil {
		return err
	}
	found, _, err := rows.Get[Import](ctx, i.Rows, keyOf(j.Args.Import))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Your import is finished: %d recipes came in.", batch.Done)
	if failed := found.Lines - batch.Done; failed > 0 {
		text = fmt.Sprintf("Your import is finished: %d recipes came in, and %d did not.", batch.Done, failed)
	}
	writes, err := notices.Add(i.Rows.Change(), j.Args.Reader, notices.Notice{
		ID: "import/" + j.Args.Import, Kind: "import", Text: text, Link: "/account?import=" + j.Args.Import, At: batch.Finished, Told: i.Now(),
	}).Writes()
	if err != nil {
		return err
	}
	return worker.Commit(ctx, j, writes...)
}
