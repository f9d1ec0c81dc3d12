// Package pdfs makes recipes printable. Drawing takes a processor a moment, so it is
// queued: the page says "Preparing your PDF", and offers the file when it is there.
//
// A PDF is made of one version of a recipe, and always of the same bytes, under a key
// that says the version: a job that runs twice writes the same file again.
package pdfs

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// maxPhoto is the most bytes of the photo that is put into a PDF.
const maxPhoto = 8 << 20

// A Printer makes PDFs. It may be used by many goroutines.
type Printer struct {
	table   *rows.Table
	objects objects.GetPutter
}

// NewPrinter makes a Printer that works on these.
func NewPrinter(table *rows.Table, objects objects.GetPutter) *Printer {
	return &Printer{table: table, objects: objects}
}

// A GoneError says why a recipe can't be printed any more, to the reader who asked.
type GoneError struct{ reason string }

// Error gives the reason.
func (g *GoneError) Error() string { return g.reason }

// ErrorCode is the code of the job's error.
func (g *GoneError) ErrorCode() string { return "gone" }

// Print is the handler. A recipe that was changed meanwhile is printed as it is now:
// nobody wants the old one on paper.
func (p *Printer) Print(ctx context.Context, j *job.Job[tasks.PrintRecipe]) (tasks.PDF, error) {
	recipe, ok, err := rows.Get[recipes.Recipe](ctx, p.table, recipes.Key(j.Args.Recipe))
	if err != nil {
		return tasks.PDF{}, err
	}
	if !ok || recipe.State != recipes.Published {
		return tasks.PDF{}, job.Fail(&GoneError{"This recipe is not there any more."})
	}
	photo, err := p.photo(ctx, recipe)
	if err != nil {
		return tasks.PDF{}, err
	}
	data, pages, err := Render(recipe, photo)
	if err != nil {
		return tasks.PDF{}, job.Fail(err) // the same recipe fails the same way
	}
	key := Key(recipe.ID, recipe.Version)
	if err := p.objects.Put(ctx, key, data, "application/pdf", "private, max-age=86400"); err != nil {
		return tasks.PDF{}, err
	}
	url := fmt.Sprintf("/api/recipes/%s/pdf?version=%d", recipe.ID, recipe.Version)
	return tasks.PDF{Key: key, URL: url, Bytes: len(data), Pages: pages}, nil
}

// Key is where the PDF of a version of a recipe lies.
func Key(recipe string, version int) string { return fmt.Sprintf("pdfs/%s/%d.pdf", recipe, version) }

// photo gives the medium size of a recipe's photo; nil where there is none, or none
// yet.
func (p *Printer) photo(ctx context.Context, r recipes.Recipe) (*Photo, error) {
	data, format, ok, err := photos.Find(ctx, p.objects, r.PhotoKey, "medium", maxPhoto)
	if err != nil || !ok {
		return nil, err
	}
	return &Photo{Data: data, Format: format}, nil
}
