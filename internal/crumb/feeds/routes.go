package feeds

import (
	"context"
	"errors"
	"net/http"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
)

const (
	// pageRows is how many rows of a feed a page is made of.
	pageRows = 20
	// pageReads bounds what a page reads where all of what it finds is gone.
	pageReads = 5
)

// Register adds GET /api/feed.
func (f *Feeds) Register(routes site.Routes) { routes.Reader("GET /api/feed", f.list) }

// list answers with a reader's feed, the newest first.
func (f *Feeds) list(w http.ResponseWriter, r *http.Request, reader string) error {
	cards, next, err := f.Page(r.Context(), reader, r.URL.Query().Get("after"))
	if errors.Is(err, rows.ErrCursor) {
		return site.Refuse(http.StatusBadRequest, "wrong-cursor", "after is none of this list's cursors: begin without one")
	}
	if err != nil {
		return err
	}
	return site.Answer(w, http.StatusOK, struct {
		Recipes []recipes.Card `json:"recipes"`
		Next    string         `json:"next"`
	}{cards, next})
}

// Page reads a page of a reader's feed, the newest first, and where the next one
// begins; empty: nowhere. A page that recipes were taken from has fewer than others.
func (f *Feeds) Page(ctx context.Context, reader, after string) (cards []recipes.Card, next string, err error) {
	cards = []recipes.Card{}
	for range pageReads {
		page, err := rows.List[Row](ctx, f.table, rows.Range{
			Partition: place("").of(reader).Partition, Descending: true, Limit: pageRows, After: after,
		})
		if err != nil {
			return nil, "", err
		}
		for _, row := range page.Rows {
			if !row.Gone {
				cards = append(cards, row.Card)
			}
		}
		if after = page.Next; after == "" || len(cards) > 0 {
			break
		}
	}
	return cards, after, nil
}
