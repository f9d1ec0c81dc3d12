package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// Limits of a search.
const (
	// MostBytes is the longest that what is looked for may be.
	MostBytes = 200
	// MostWords is how many words it may have that tell something.
	MostWords = 8
	// perWord is how many recipes are read of each word: those in which it weighs
	// most. A word that more have is a common one.
	perWord = 300
	// pageSize is how many recipes a page has.
	pageSize = 20
)

// A BadQuery says what is wrong with what is looked for, for who looks for it.
type BadQuery struct{ Detail string }

// Error gives the detail.
func (b *BadQuery) Error() string { return b.Detail }

// Parse gives the words of what is looked for, each once. Errors are *BadQuery.
func Parse(q string) ([]string, error) {
	switch {
	case q == "":
		return nil, &BadQuery{"q is missing: say what to look for"}
	case len(q) > MostBytes:
		return nil, &BadQuery{fmt.Sprintf("q has %d bytes, and %d are allowed", len(q), MostBytes)}
	case !utf8.ValidString(q):
		return nil, &BadQuery{"q is not text in UTF-8"}
	}
	var words []string
	for word := range Words(q) {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	switch {
	case len(words) == 0:
		return nil, &BadQuery{"q has no word to look for: words that every recipe has, numbers and single letters do not count"}
	case len(words) > MostWords:
		return nil, &BadQuery{fmt.Sprintf("q has %d words to look for, and %d are allowed", len(words), MostWords)}
	}
	return words, nil
}

// A Found is a recipe that was found, with its score: the higher the better.
type Found struct {
	recipes.Card
	Score float64 `json:"score"`
}

// Search finds recipes by words, a page at a time; next is empty after the last one.
// Errors: *BadQuery, and rows.ErrCursor for an after that no page gave.
//
// It reads perWord recipes of each word at most, whatever the index has.
func (x *Index) Search(ctx context.Context, q, after string) (found []Found, next string, err error) {
	words, err := Parse(q)
	if err != nil {
		return nil, "", err
	}
	from, err := parseCursor(after)
	if err != nil {
		return nil, "", err
	}
	lists := make([]rows.Page[entry], len(words))
	group, ctx := errgroup.WithContext(ctx)
	for i, word := range words {
		group.Go(func() (err error) {
			lists[i], err = rows.List[entry](ctx, x.table, rows.Range{Partition: partitionOf(word), Descending: true, Limit: perWord})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, "", fmt.Errorf("search: reading the index: %w", err)
	}
	ranked := rank(lists)
	start, _ := slices.BinarySearchFunc(ranked, from, func(h hit, c cursor) int { return h.cursor().compare(c) })
	if after != "" && start < len(ranked) && ranked[start].cursor() == from {
		start++
	}
	page := ranked[start:min(start+pageSize, len(ranked))]
	found = make([]Found, len(page))
	for i, h := range page {
		found[i] = Found{h.card, float64(h.score) / 1000}
	}
	if len(page) > 0 && start+len(page) < len(ranked) {
		next = page[len(page)-1].cursor().String()
	}
	return found, next, nil
}

// A hit is a recipe that has some of the words.
type hit struct {
	card recipes.Card
	// missing counts the words that it is known not to have.
	missing int
	// score is in thousandths.
	score int
	has   int
}

// rank puts the recipes of the words' lists in order: those that have all words
// first, and among those with equally many the ones with the best score. A word counts
// by its weight in the recipe, and the more the fewer recipes have it.
//
// Of a common word the list is not complete: a recipe that is not on it may have the
// word all the same, and is not put behind others for it.
func rank(lists []rows.Page[entry]) []hit {
	hits := map[string]*hit{}
	complete := 0
	for _, list := range lists {
		isComplete := list.Next == ""
		if isComplete {
			complete++
		}
		rarity := math.Log(1 + perWord/float64(max(len(list.Rows), 1)))
		for _, e := range list.Rows {
			h := hits[e.Card.ID]
			if h == nil {
				h = &hit{card: e.Card}
				hits[e.Card.ID] = h
			}
			h.score += int(1000 * float64(e.Weight) * rarity)
			if isComplete {
				h.has++
			}
		}
	}
	ranked := make([]hit, 0, len(hits))
	for _, h := range hits {
		h.missing = complete - h.has
		ranked = append(ranked, *h)
	}
	slices.SortFunc(ranked, func(a, b hit) int { return a.cursor().compare(b.cursor()) })
	return ranked
}
