// Command front enqueues, cancels and moves the chaos's jobs.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		jobs := env.Jobs()
		p, err := producer.New(producer.Config{Jobs: jobs}, work.Tasks()...)
		if err != nil {
			return nil, err
		}
		return (&front{jobs, p}).handle, nil
	})
}

type front struct {
	jobs     *store.Jobs
	producer *producer.Producer
}

func (f *front) handle(ctx context.Context, errand work.Errand) (answer work.Answer, err error) {
	if err := f.carryOut(ctx, errand, &answer); err != nil {
		answer.Error = err.Error()
	}
	return answer, nil
}

func (f *front) carryOut(ctx context.Context, errand work.Errand, answer *work.Answer) error {
	for _, r := range errand.Enqueue {
		if err := f.enqueue(ctx, r); err != nil {
			return err
		}
		answer.Accepted++
	}
	for _, id := range errand.Cancel {
		rec, err := f.jobs.Cancel(ctx, id, "")
		if err != nil && !errors.Is(err, store.ErrFinished) {
			return err
		}
		answer.Cancelled = append(answer.Cancelled, string(rec.State))
	}
	for _, m := range errand.Move {
		// One that is no longer scheduled was moved before, and promoted.
		if _, err := f.jobs.Move(ctx, m.ID, m.To); err != nil {
			return err
		}
		answer.Moved++
	}
	return nil
}

func (f *front) enqueue(ctx context.Context, r work.Request) error {
	definition, known := f.producer.Task(r.Task)
	if !known {
		return fmt.Errorf("there is no task %q", r.Task)
	}
	arguments, err := json.Marshal(r.Arguments)
	if err != nil {
		return err
	}
	options := []job.Option{job.WithID(r.ID, r.Task)}
	if r.Group != "" {
		options = append(options, job.Group(r.Group))
	}
	if r.In > 0 {
		options = append(options, job.In(r.In))
	}
	_, err = f.producer.Enqueue(ctx, job.Request{Definition: definition, Arguments: json.RawMessage(arguments)}, options...)
	return err
}
