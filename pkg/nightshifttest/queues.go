package nightshifttest

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/sqssim"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A simQueue is a queue of the kit's tasks.
type simQueue struct {
	job.Queue
	// at and letters are the names at SQS of the queue and of its dead-letter queue.
	at, letters string
	address     queue.Address
	worker      *worker.Worker
	// dying is a worker whose process dies when a run of its is to end.
	dying *dying
}

// Names at SQS of the backstops.
const (
	backstopName     = "backstop"
	backstopNameFIFO = backstopName + ".fifo"
)

// polledVisibility is for queues without a plan of their own.
const polledVisibility = time.Minute

// addQueues makes the tasks' queues, each with a dead-letter queue, and the backstops.
func (k *Kit) addQueues(tasks []job.Defined) {
	k.t.Helper()
	// Whether the load can be handled is for the infrastructure to say: a plan
	// that contradicts itself has times as well.
	plans, _ := sizing.ForTasks(tasks...)
	k.sqs.Add(backstopName, sqssim.Queue{Visibility: polledVisibility})
	k.sqs.Add(backstopNameFIFO, sqssim.Queue{Visibility: polledVisibility})
	for _, task := range tasks {
		d := task.Definition()
		k.tasks[d.Name] = d
		declared := d.Policy.Queue
		if q := k.queueNamed(declared.Name); q != nil {
			if q.Queue != declared {
				k.t.Fatalf("nightshifttest: task %q declares queue %q otherwise than another task does: let all its tasks use one variable", d.Name, declared.Name)
			}
			continue
		}
		q := &simQueue{Queue: declared, at: declared.Name, letters: declared.Name + "-dlq"}
		settings := sqssim.Queue{Visibility: plans[declared.Name].Visibility, Redrive: backstopName, MaxReceives: sizing.MaxReceives}
		if settings.Visibility == 0 {
			settings.Visibility = polledVisibility
		}
		if q.FIFO {
			q.at, q.letters, settings.Redrive = q.at+".fifo", q.letters+".fifo", backstopNameFIFO
		}
		q.address = queue.Address{URL: k.sqs.Add(q.at, settings), Letters: k.sqs.Add(q.letters, sqssim.Queue{}), Fair: q.Fair}
		k.queues = append(k.queues, q)
	}
}

func (k *Kit) queueNamed(name string) *simQueue {
	for _, q := range k.queues {
		if q.Name == name {
			return q
		}
	}
	return nil
}

func (k *Kit) addresses() map[string]queue.Address {
	addresses := map[string]queue.Address{}
	for _, q := range k.queues {
		addresses[q.Name] = q.address
	}
	return addresses
}

// Serve makes a worker of these handlers, as a function of the stack has it, and gives
// their tasks' queues to it. A queue has one worker: pass all handlers of its tasks
// at once. Mistakes end the test.
func (k *Kit) Serve(handlers ...worker.Handler) *worker.Worker {
	k.t.Helper()
	config := worker.Config{
		Jobs: k.Jobs, Queue: queue.New(k.sqs), Addresses: k.addresses(), Objects: k.Objects,
		Metrics: k.config.Metrics, Tracer: k.config.Tracer, Logger: k.config.Logger, Now: k.Now, Random: k.random.float, Exit: func(int) {},
	}
	w := made(worker.New(config, handlers...)).or(k)
	dying := k.newDying(config, handlers)
	mine := map[string]bool{}
	for _, h := range handlers {
		d := h.Definition()
		q := k.queueNamed(d.Policy.Queue.Name)
		switch _, known := k.tasks[d.Name]; {
		case !known:
			k.t.Fatalf("nightshifttest: Serve: task %q is none of the kit's: pass it to New", d.Name)
		case q.worker != nil && !mine[q.Name]:
			k.t.Fatalf("nightshifttest: Serve: queue %q has a worker already: pass all handlers of its tasks in one call", q.Name)
		}
		q.worker, q.dying, mine[q.Name], k.served[d.Name] = w, dying, true, true
		k.topics.subscribe(h, q)
	}
	return w
}
