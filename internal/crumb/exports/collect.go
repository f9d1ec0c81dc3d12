package exports

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/reminders"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/trending"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A file is one file of an export.
type file struct {
	name string
	data []byte
	// compressed files are not compressed again.
	compressed bool
}

// A section is a part of what Crumb has of a reader: a partition of rows.
type section struct {
	name      string
	partition string
	// recipes tells that the rows are cards of recipes, which become files of their own
	// in a folder that is called like the section; otherwise a page is a file.
	recipes bool
}

// perPage is how many rows become one file. Recipes are files of their own, and come
// with their photographs, all of a page at once: a large PNG has up to 16 MiB, and the
// part that they are added to is in memory as well.
const (
	perPage        = 500
	recipesPerPage = 4
	// maxPhoto is the largest photograph that is put into an export.
	maxPhoto = 25 << 20
)

// sections lists what an export of a reader consists of, always in this order:
// cursors count on it. Drafts come first: one that is published meanwhile is in the
// archive twice, in two folders, rather than not at all.
func (e *Exporter) sections(reader string) []section {
	return []section{
		{name: "account", partition: readers.Key(reader).Partition},
		{name: "drafts", partition: recipes.UnpublishedKey(recipes.Recipe{Author: reader}).Partition, recipes: true},
		{name: "recipes", partition: recipes.AuthorsList(reader), recipes: true},
		{name: "ratings", partition: recipes.VotesOf(reader)},
		{name: "saves", partition: trending.SavesOf(reader)},
		{name: "follows", partition: readers.FollowsKey(reader, "").Partition},
		{name: "followers", partition: readers.FollowersOf(reader)},
		{name: "inbox", partition: notices.InboxOf(reader)},
		{name: "reminders", partition: reminders.ListOf(reader)},
	}
}

func (s section) limit() int {
	if s.recipes {
		return recipesPerPage
	}
	return perPage
}

// page reads a page of a section and makes files of it.
func (e *Exporter) page(ctx context.Context, s section, number int, after string) (files []file, next string, err error) {
	page, err := rows.List[map[string]any](ctx, e.Rows, rows.Range{Partition: s.partition, Limit: s.limit(), After: after})
	if err != nil {
		return nil, "", fmt.Errorf("exports: collecting %s: %w", s.name, err)
	}
	if s.recipes {
		files, err = e.recipeFiles(ctx, s.name, page.Rows)
	} else if len(page.Rows) > 0 {
		files, err = rowFile(fmt.Sprintf("%s-%03d.json", s.name, number), page.Rows)
	}
	if err != nil {
		return nil, "", fmt.Errorf("exports: collecting %s: %w", s.name, err)
	}
	return files, page.Next, nil
}

// secret are attributes that are the site's and not the reader's.
var secret = map[string]bool{"password": true, store.PartitionKey: true, store.SortKey: true, rows.Expires: true}

// rowFile makes a file of rows: a list of objects, names in their order.
func rowFile(name string, list []map[string]any) ([]file, error) {
	kept := make([]map[string]any, len(list))
	for i, row := range list {
		kept[i] = map[string]any{}
		for attribute, value := range row {
			if !secret[attribute] {
				kept[i][attribute] = value
			}
		}
	}
	return jsonFile(name, kept)
}

func jsonFile(name string, value any) ([]file, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return []file{{name: name, data: out.Bytes()}}, nil
}

// recipeFiles makes the files of a page of an author's list, side by side: each recipe,
// and its photograph where there is one still.
func (e *Exporter) recipeFiles(ctx context.Context, folder string, page []map[string]any) ([]file, error) {
	all := make([][]file, len(page))
	group, ctx := errgroup.WithContext(ctx)
	for i, card := range page {
		id, _ := card["id"].(string)
		group.Go(func() (err error) {
			all[i], err = e.recipe(ctx, folder, id)
			return err
		})
	}
	err := group.Wait()
	return slices.Concat(all...), err
}

// recipe makes the files of one recipe; none where it was deleted meanwhile.
func (e *Exporter) recipe(ctx context.Context, folder, id string) ([]file, error) {
	recipe, ok, err := rows.Get[recipes.Recipe](ctx, e.Rows, recipes.Key(id))
	if err != nil || !ok {
		return nil, err
	}
	name := folder + "/" + recipe.ID
	written, err := jsonFile(name+".json", recipe)
	if err != nil {
		return nil, err
	}
	photo, err := e.photo(ctx, name, recipe)
	return append(written, photo...), err
}

// photo gives the large size of a recipe's photograph, or the medium one where that is
// still to come; none where there is neither.
func (e *Exporter) photo(ctx context.Context, name string, r recipes.Recipe) ([]file, error) {
	data, format, ok, err := photos.Find(ctx, e.Objects, r.PhotoKey, "large", maxPhoto)
	if err == nil && !ok {
		data, format, ok, err = photos.Find(ctx, e.Objects, r.PhotoKey, "medium", maxPhoto)
	}
	if err != nil || !ok {
		return nil, err
	}
	return []file{{name: name + "." + format, data: data, compressed: true}}, nil
}
