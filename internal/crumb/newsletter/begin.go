package newsletter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/trending"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// mostRecipes is how many an issue has.
const mostRecipes = 6

// Begin is the handler of tasks.BeginIssue. Which of several begins an issue, the
// row decides: the others end as cancelled.
func (n *Newsletter) Begin(ctx context.Context, j *job.Job[tasks.Issue]) error {
	monday, err := time.Parse(time.DateOnly, j.Args.Monday)
	if err != nil {
		return job.Fail(fmt.Errorf("newsletter: the issue's Monday: %w", err))
	}
	picked, err := n.pick(ctx, monday)
	if err != nil {
		return err
	}
	if len(picked) == 0 {
		return job.Discard("nothing was published all week: there is no issue")
	}
	issue := Issue{Monday: j.Args.Monday, Recipes: picked, BegunAt: n.Now().UTC(), Seed: string(j.ID)}
	// Key: the issue. Condition: there is none. A lost race: another job began it.
	writes, err := n.Table.Change().Put(issueKey(issue.Monday), issue, rows.Absent, nil).Writes()
	if err != nil {
		return err
	}
	parts := make([]outbox.Action, Shards)
	for shard := range parts {
		parts[shard] = outbox.Enqueue(tasks.FanOut.With(tasks.IssuePart{Issue: j.Args, Shard: shard}))
	}
	enqueue, err := n.Outbox.Writes(ctx, parts...)
	if err != nil {
		return err
	}
	err = worker.Commit(ctx, j, append(writes, enqueue...)...)
	if errors.Is(err, rows.ErrCondition) {
		return job.Discard("the issue was begun before")
	}
	return err
}

// pick chooses what the issue says: what is trending, or else the latest of the week
// before the issue.
func (n *Newsletter) pick(ctx context.Context, monday time.Time) ([]recipes.Card, error) {
	list, err := trending.Read(ctx, n.Table)
	if err != nil {
		return nil, err
	}
	var picked []recipes.Card
	for _, entry := range list.Recipes[:min(len(list.Recipes), mostRecipes)] {
		picked = append(picked, entry.Card)
	}
	if len(picked) > 0 {
		return picked, nil
	}
	for day := 0; day <= 7 && len(picked) < mostRecipes; day++ {
		at := recipes.Recipe{PublishedAt: monday.AddDate(0, 0, -day)}
		found, err := rows.List[recipes.Card](ctx, n.Table, rows.Range{
			Partition: recipes.RecentKey(at).Partition, Descending: true, Limit: mostRecipes - len(picked),
		})
		if err != nil {
			return nil, err
		}
		picked = append(picked, found.Rows...)
	}
	return picked, nil
}
