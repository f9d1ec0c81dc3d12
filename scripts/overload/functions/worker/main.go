// Command worker does the overload's jobs: it sleeps, and counts each once.
package main

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
	"github.com/nightshift-go/nightshift/scripts/overload/work"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		h := handler{effects: env.Settings.Required(work.Effects)}
		return worker.New(worker.Config{
			Jobs: env.Jobs(), Queue: env.Queue(), Addresses: env.Addresses(work.Queues()...), Gauge: env.Gauge(), Logger: env.Logger,
		},
			worker.Handle(work.ToRefuse, h.sleep), worker.Handle(work.ToHard, h.sleep),
			worker.Handle(work.ToDegrade, h.sleep), worker.Handle(work.ToSpill, h.sleep))
	})
}

type handler struct{ effects string }

func (h handler) sleep(ctx context.Context, j *job.Job[work.Arguments]) error {
	takes := work.Service
	if j.Degraded {
		takes /= 2
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(takes):
	}
	return worker.Commit(ctx, j, h.counted(j.ID))
}

// counted raises a job's count.
//
// Key: the job's id. No condition: a job that is done twice is to be seen.
func (h handler) counted(id job.ID) store.Write {
	return store.Write{
		Op: store.Update, Table: h.effects, Key: store.Item{work.Key: &types.AttributeValueMemberS{Value: string(id)}},
		Update: "ADD #count :one",
		Names:  map[string]string{"#count": work.Count},
		Values: store.Item{":one": &types.AttributeValueMemberN{Value: "1"}},
	}
}
