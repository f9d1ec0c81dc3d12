// Package followers walks through those who follow an author, in parts that fit into
// a run: 40,000 of them take 40 runs of one job.
//
// A part is walked again when a process dies within it. So what is done for a
// follower has to come to the same when it is done twice.
package followers

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

const (
	// PerRun is how many followers a run walks through.
	PerRun = 1000
	// sideBySide is how many of them are worked on at once.
	sideBySide = 32
)

// A Place is how far a walk has come: a job's cursor. The zero Place is the start.
type Place struct {
	After string `json:"after,omitempty"`
	// Reached counts the followers that the walk had something for.
	Reached int `json:"reached"`
}

// Walk does something for the next PerRun followers of an author from a place on,
// many of them at once, and tells where to go on; over is true after the last one.
// each tells whether it had something for the follower. After an error the walk goes
// on from the same place.
func Walk(ctx context.Context, table *rows.Table, author string, from Place, each func(context.Context, readers.Follower) (bool, error)) (to Place, over bool, err error) {
	page, err := rows.List[readers.Follower](ctx, table, rows.Range{
		Partition: readers.FollowersOf(author), Limit: PerRun, After: from.After,
	})
	if err != nil {
		return from, false, fmt.Errorf("followers: of %s: %w", author, err)
	}
	reached := make([]bool, len(page.Rows))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	for i, follower := range page.Rows {
		group.Go(func() (err error) {
			reached[i], err = each(ctx, follower)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return from, false, fmt.Errorf("followers: of %s: %w", author, err)
	}
	to = Place{After: page.Next, Reached: from.Reached}
	for _, r := range reached {
		if r {
			to.Reached++
		}
	}
	return to, page.Next == "", nil
}
