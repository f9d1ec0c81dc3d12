package exports

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
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
	// files makes the files of a page of rows; nil: the rows as they are.
	files func(ctx context.Context, page []map[string]any) ([]file, error)
}

// perPage is how many rows become one file. Recipes are files of their own, with
// their photographs: they come in smaller pages.
const (
	perPage        = 500
	recipesPerPage = 10
	// maxPhoto is the largest photograph that is put into an export.
	maxPhoto = 25 << 20
)

// sections lists what an export of a reader consists of, always in this order:
// cursors count on it.
func (e *Exporter) sections(reader string) []section {
	return []section{
		{name: "account", partition: readers.Key(reader).Partition},
		{name: "recipes", partition: recipes.AuthorKey(recipes.Recipe{Author: reader}).Partition, files: e.recipeFiles},
		{name: "drafts", partition: recipes.UnpublishedKey(recipes.Recipe{Author: reader}).Partition, files: e.recipeFiles},
		{name: "ratings", partition: recipes.VotesOf(reader)},
		{name: "saves", partition: "saves#" + reader},
		{name: "follows", partition: readers.FollowsKey(reader, "").Partition},
		{name: "followers", partition: readers.FollowersOf(reader)},
		{name: "inbox", partition: "inbox#" + reader},
		{name: "reminders", partition: "reminders#" + reader},
	}
}

func (s section) limit() int {
	if s.files != nil {
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
	if s.files != nil {
		files, err = s.files(ctx, page.Rows)
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

// recipeFiles makes the files of a page of an author's list: each recipe, and its
// photograph where there is one still.
func (e *Exporter) recipeFiles(ctx context.Context, page []map[string]any) (files []file, err error) {
	for _, card := range page {
		id, _ := card["id"].(string)
		recipe, ok, err := rows.Get[recipes.Recipe](ctx, e.Rows, recipes.Key(id))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue // deleted between
		}
		written, err := jsonFile("recipes/"+recipe.ID+".json", recipe)
		if err != nil {
			return nil, err
		}
		photo, err := e.photo(ctx, recipe)
		if err != nil {
			return nil, err
		}
		files = append(append(files, written...), photo...)
	}
	return files, nil
}

// photo gives the large size of a recipe's photograph; none where it is not there.
func (e *Exporter) photo(ctx context.Context, r recipes.Recipe) ([]file, error) {
	if r.PhotoKey == "" {
		return nil, nil
	}
	upload := path.Base(r.PhotoKey)
	for _, ext := range []string{"jpg", "png"} {
		data, _, err := e.Objects.Get(ctx, "photos/"+upload+"/large."+ext, maxPhoto)
		switch {
		case err == nil:
			return []file{{name: "photos/" + strings.ToLower(r.ID) + "." + ext, data: data, compressed: true}}, nil
		case !errors.Is(err, objects.ErrMissing):
			return nil, err
		}
	}
	return nil, nil
}
