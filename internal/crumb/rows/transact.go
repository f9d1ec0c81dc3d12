package rows

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/outbox"
)

// Transact makes the changes and what follows from them, jobs and events, in one
// transaction: all of it or nothing. Errors are those of outbox.Transact; where a
// condition did not hold the error is ErrCondition, and Old gives the row.
func (c *Changes) Transact(ctx context.Context, box *outbox.Outbox, follow ...outbox.Action) error {
	writes, err := c.Writes()
	if err != nil {
		return err
	}
	actions := make([]outbox.Action, 0, len(writes)+len(follow))
	for _, w := range writes {
		actions = append(actions, outbox.Write(w))
	}
	if err := box.Transact(ctx, append(actions, follow...)...); err != nil {
		return fmt.Errorf("rows: writing %d rows and what follows: %w", len(writes), err)
	}
	return nil
}
