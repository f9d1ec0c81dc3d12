package recipes

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// A sum is the running sum of a recipe's ratings, and their count. The average is
// one division away, however many there are. Key: recipe#<id>, "rating".
type sum struct {
	Stars int `dynamodbav:"stars"`
	Count int `dynamodbav:"count"`
}

// RatingKey is where the sum of a recipe's ratings lies.
func RatingKey(recipe string) rows.Key {
	return rows.Key{Partition: Key(recipe).Partition, Sort: "rating"}
}

// A Vote is how a reader rates a recipe. Key: ratings#<reader>, the recipe's id.
type Vote struct {
	Recipe string `json:"recipe" dynamodbav:"recipe"`
	Stars  int    `json:"stars" dynamodbav:"stars"`
}

// VoteKey is where a reader's vote lies.
func VoteKey(reader, recipe string) rows.Key {
	return rows.Key{Partition: VotesOf(reader), Sort: recipe}
}

// VotesOf is the partition of a reader's votes.
func VotesOf(reader string) string { return "ratings#" + reader }

// A Rating is what readers think of a recipe.
type Rating struct {
	// Average is from 1 to 5; 0 where nobody rated it.
	Average float64 `json:"average"`
	Count   int     `json:"count"`
	// Mine is the reader's own vote; 0: none.
	Mine int `json:"mine"`
}

// Rate counts a reader's vote, in the request: a sum and a count are changed by one
// update, which is cheaper than a message that asks for it. The vote itself is in
// the same transaction, so that nobody counts twice, and another vote of the same
// reader moves the sum by the difference.
func (s *Recipes) Rate(ctx context.Context, reader, id string, stars int) (Rating, error) {
	if stars < 1 || stars > 5 {
		return Rating{}, bad("a rating is from 1 to 5 stars, not %d", stars)
	}
	if _, err := s.visible(ctx, reader, id); err != nil {
		return Rating{}, err
	}
	for range tries {
		vote, voted, err := rows.Get[Vote](ctx, s.Table, VoteKey(reader, id))
		if err != nil {
			return Rating{}, fmt.Errorf("recipes: reading a vote: %w", err)
		}
		if !voted || vote.Stars != stars {
			err = s.count(ctx, reader, id, vote, voted, stars)
		}
		switch {
		case err == nil:
			return s.ratingOf(ctx, reader, id)
		case !errors.Is(err, rows.ErrCondition):
			return Rating{}, fmt.Errorf("recipes: rating %s: %w", id, err)
		}
		if _, err := s.visible(ctx, reader, id); err != nil {
			return Rating{}, err // it was deleted meanwhile
		}
	}
	return Rating{}, fmt.Errorf("%w: rating %s", ErrBusy, id)
}

// count makes one vote part of the sum.
func (s *Recipes) count(ctx context.Context, reader, id string, old Vote, voted bool, stars int) error {
	c := s.Table.Change()
	// The vote as it was read, the sum, and that there is such a recipe. A lost
	// race means that the same reader voted elsewhere, or that it was deleted.
	if voted {
		c.Update(VoteKey(reader, id), "SET #stars = :stars", "#stars = :old", rows.Values{":stars": stars, ":old": old.Stars})
		c.Update(RatingKey(id), "ADD #stars :more", rows.Present, rows.Values{":more": stars - old.Stars})
	} else {
		c.Put(VoteKey(reader, id), Vote{Recipe: id, Stars: stars}, rows.Absent, nil)
		c.Update(RatingKey(id), "ADD #stars :stars, #count :one", "", rows.Values{":stars": stars, ":one": 1})
	}
	return c.Check(Key(id), rows.Present, nil).Apply(ctx)
}

// ratingOf reads a recipe's rating, and the reader's own vote.
func (s *Recipes) ratingOf(ctx context.Context, reader, id string) (Rating, error) {
	all, _, err := rows.Get[sum](ctx, s.Table, RatingKey(id))
	if err != nil {
		return Rating{}, fmt.Errorf("recipes: reading the rating of %s: %w", id, err)
	}
	rating := Rating{Count: all.Count}
	if all.Count > 0 {
		rating.Average = float64(all.Stars) / float64(all.Count)
	}
	if reader == "" {
		return rating, nil
	}
	mine, _, err := rows.Get[Vote](ctx, s.Table, VoteKey(reader, id))
	if err != nil {
		return Rating{}, fmt.Errorf("recipes: reading a vote: %w", err)
	}
	rating.Mine = mine.Stars
	return rating, nil
}
