package recipes

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

const (
	// pageSize is how many cards a page of a list has.
	pageSize = 24
	// daysAtOnce is how many days without a recipe are passed over in one request.
	daysAtOnce = 31
	// daysBack is how far the list of the newest reaches.
	daysBack = 366
)

// Cards is a page of a list. Its fields are those of the answer.
type Cards struct {
	Recipes []Card `json:"recipes"`
	// Next continues; empty where there is no more.
	Next string `json:"next"`
}

// Recent lists what was published last: the newest first, from the day of today
// backwards. A page may be short where days are empty; Next goes on all the same.
func (s *Recipes) Recent(ctx context.Context, after string) (Cards, error) {
	today := s.Now().UTC().Truncate(24 * time.Hour)
	day, within, err := readCursor(after, today)
	if err != nil {
		return Cards{}, err
	}
	cards := Cards{Recipes: []Card{}}
	for range daysAtOnce {
		if day.Before(today.AddDate(0, 0, -daysBack)) {
			return cards, nil
		}
		page, err := rows.List[Card](ctx, s.Table, rows.Range{
			Partition: recentOn(day), Descending: true, Limit: pageSize - len(cards.Recipes), After: within,
		})
		if err != nil {
			return Cards{}, fmt.Errorf("recipes: listing the newest: %w", err)
		}
		cards.Recipes = append(cards.Recipes, page.Rows...)
		if within = page.Next; within == "" {
			day = day.AddDate(0, 0, -1)
		}
		if len(cards.Recipes) >= pageSize {
			break
		}
	}
	cards.Next = day.Format(time.DateOnly) + "." + within
	return cards, nil
}

// readCursor reads a Next of Recent: the day, and the place in it.
func readCursor(after string, today time.Time) (day time.Time, within string, err error) {
	if after == "" {
		return today, "", nil
	}
	text, within, _ := strings.Cut(after, ".")
	day, err = time.Parse(time.DateOnly, text)
	if err != nil || day.After(today) {
		return time.Time{}, "", fmt.Errorf("%w: %q", rows.ErrCursor, after)
	}
	return day, within, nil
}

// By lists what an author published: the newest first.
func (s *Recipes) By(ctx context.Context, author, after string) (Cards, error) {
	return s.list(ctx, AuthorsList(author), after)
}

// Unpublished lists an author's drafts and held recipes: the newest first.
func (s *Recipes) Unpublished(ctx context.Context, author, after string) (Cards, error) {
	return s.list(ctx, "unpublished#"+author, after)
}

// AuthorsList is the partition of what an author published.
func AuthorsList(author string) string { return "author#" + author }

func (s *Recipes) list(ctx context.Context, partition, after string) (Cards, error) {
	page, err := rows.List[Card](ctx, s.Table, rows.Range{Partition: partition, Descending: true, Limit: pageSize, After: after})
	if err != nil {
		return Cards{}, fmt.Errorf("recipes: listing %s: %w", partition, err)
	}
	return Cards{Recipes: page.Rows, Next: page.Next}, nil
}
