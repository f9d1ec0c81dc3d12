package reminders

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A Bell reminds people: it does the jobs of the queue of reminders. It may be used
// by many goroutines.
type Bell struct{ BellConfig }

// BellConfig is what a Bell works with. All of it is required.
type BellConfig struct {
	Rows   *rows.Table
	Outbox *outbox.Outbox
	// Now is the clock.
	Now func() time.Time
}

// NewBell makes a Bell.
func NewBell(config BellConfig) (*Bell, error) {
	if config.Rows == nil || config.Outbox == nil || config.Now == nil {
		return nil, errors.New("reminders: every field of BellConfig is required")
	}
	return &Bell{config}, nil
}

// Remind is the handler of a reminder that is due: a notice, and a mail. Both come
// about in the transaction that ends the job, so the reader is reminded once.
func (b *Bell) Remind(ctx context.Context, j *job.Job[tasks.Reminder]) error {
	recipe, ok, err := rows.Get[recipes.Recipe](ctx, b.Rows, recipes.Key(j.Args.Recipe))
	if err != nil {
		return err
	}
	changes := b.Rows.Change().Delete(keptKey(j.Args.Reader, j.ID), "", nil)
	if !ok || recipe.State != recipes.Published {
		if err := changes.Apply(ctx); err != nil {
			return err
		}
		return job.Discard("the recipe is not there any more")
	}
	link := "/recipes/" + recipe.ID
	notices.Add(changes, j.Args.Reader, notices.Notice{
		ID: "reminder/" + string(j.ID), Kind: "reminder", At: b.Now(), Link: link,
		Text: fmt.Sprintf("You wanted to be reminded of “%s”.", recipe.Title),
	})
	return end(ctx, b.Outbox, j, changes, tasks.ReminderDue{Title: recipe.Title, Link: link}.To(j.Args.Reader))
}

// Nudge is the handler of a draft that was left for ten minutes. One that was
// finished meanwhile needs no nudge, even where cancelling came too late.
func (b *Bell) Nudge(ctx context.Context, j *job.Job[tasks.DraftNudge]) error {
	draft, ok, err := rows.Get[recipes.Recipe](ctx, b.Rows, recipes.Key(j.Args.Recipe))
	if err != nil {
		return err
	}
	if !ok || draft.State != recipes.Draft {
		return job.Discard("the draft is finished, or gone")
	}
	link := "/recipes/" + draft.ID + "/edit"
	changes := notices.Add(b.Rows.Change(), j.Args.Author, notices.Notice{
		ID: "draft/" + string(j.ID), Kind: "draft", At: b.Now(), Link: link,
		Text: fmt.Sprintf("Your recipe “%s” is not finished yet.", draft.Title),
	})
	return end(ctx, b.Outbox, j, changes, tasks.DraftWaiting{Title: draft.Title, Link: link}.To(j.Args.Author))
}

// end ends the job together with the rows and the mail.
func end[A any](ctx context.Context, box *outbox.Outbox, j *job.Job[A], changes *rows.Changes, mail tasks.SendMail) error {
	writes, err := changes.Writes()
	if err != nil {
		return err
	}
	mails, err := box.Writes(ctx, outbox.Enqueue(tasks.SendUrgent.With(mail)))
	if err != nil {
		return err
	}
	return worker.Commit(ctx, j, append(writes, mails...)...)
}
