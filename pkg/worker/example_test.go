package worker_test

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A queue and its tasks are declared once, for producers, workers and the
// infrastructure.
var (
	mails = job.Queue{Name: "mails", PeakArrivals: job.PerSecond(5), ServiceTime: time.Second, LongestWait: time.Minute}

	welcome = job.Define[Welcome]("mail.welcome", job.Policy{Queue: mails, MaxAttempts: 5})
	count   = job.DefineResult[Welcome, Counted]("mail.count", job.Policy{Queue: mails})
)

type Welcome struct {
	Name string `json:"name"`
}

type Counted struct {
	Letters int `json:"letters"`
}

// noSQS stands for queue.New(client).
type noSQS struct{}

func (noSQS) Send(context.Context, string, []queue.Outgoing) []error { return nil }
func (noSQS) Hide(context.Context, string, []queue.Hidden) []error   { return nil }

func exampleConfig() (worker.Config, *store.Jobs) {
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})}) // dynamo.New in functions
	if err != nil {
		panic(err)
	}
	return worker.Config{
		Jobs: jobs, Queue: noSQS{},
		Addresses: map[string]queue.Address{"mails": {
			URL:     "https://sqs.eu-west-1.amazonaws.com/123456789012/Crumb-Mails",
			Letters: "https://sqs.eu-west-1.amazonaws.com/123456789012/Crumb-MailsDeadLetterQueue",
		}},
	}, jobs
}

// invoke hands a worker one job's message, as Lambda does.
func invoke(w *worker.Worker, jobs *store.Jobs, task, args string) store.Record {
	ctx := context.Background()
	id := job.ID("01hz7vq3k8m5n9p2r4s6t8w0xy")
	if _, _, err := jobs.Create(ctx, store.NewJob{ID: id, Task: task, Queue: "mails", MaxAttempts: 5, Args: []byte(args)}); err != nil {
		panic(err)
	}
	answer, err := w.Invoke(ctx, []byte(`{"Records":[{"messageId":"059f36b4","receiptHandle":"AQEB","body":"{\"id\":\"`+string(id)+`\",\"n\":1}",
		"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:123456789012:Crumb-Mails"}]}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(string(answer))
	rec, err := jobs.Get(ctx, id)
	if err != nil {
		panic(err)
	}
	return rec
}

// A function serves a queue with a handler for each of its tasks; lambda.Start(w)
// is all that its main does with it.
func ExampleNew() {
	config, _ := exampleConfig()
	_, err := worker.New(config,
		worker.Handle(welcome, func(context.Context, *job.Job[Welcome]) error { return nil }),
		worker.HandleResult(count, func(context.Context, *job.Job[Welcome]) (Counted, error) { return Counted{}, nil }),
	)
	fmt.Println(err)
	_, err = worker.New(config, worker.Handle(welcome, nil))
	fmt.Println(err)
	// Output:
	// <nil>
	// worker: the handler of task "mail.welcome" is nil
}

func ExampleHandle() {
	config, jobs := exampleConfig()
	w, err := worker.New(config, worker.Handle(welcome, func(_ context.Context, j *job.Job[Welcome]) error {
		fmt.Printf("Welcome, %s! (attempt %d of %d)\n", j.Args.Name, j.Attempt, j.MaxAttempts)
		return nil
	}))
	if err != nil {
		panic(err)
	}
	rec := invoke(w, jobs, "mail.welcome", `{"name":"Ada"}`)
	fmt.Println(rec.State)
	// Output:
	// Welcome, Ada! (attempt 1 of 5)
	// {"batchItemFailures":[]}
	// done
}

func ExampleHandleResult() {
	config, jobs := exampleConfig()
	w, err := worker.New(config, worker.HandleResult(count, func(_ context.Context, j *job.Job[Welcome]) (Counted, error) {
		return Counted{Letters: len(j.Args.Name)}, nil
	}))
	if err != nil {
		panic(err)
	}
	rec := invoke(w, jobs, "mail.count", `{"name":"Ada"}`)
	fmt.Println(rec.State, string(rec.Result))
	// Output:
	// {"batchItemFailures":[]}
	// done {"letters":3}
}

// A task that is subscribed to an event is done for each one that a topic brings to
// the task's queue. Brought again, it is the same job.
func ExampleOn() {
	registered := job.DefineEvent[Welcome]("user.registered", job.Topic{Name: "users"})
	config, _ := exampleConfig()
	w, err := worker.New(config, worker.On(job.On(registered, welcome), func(_ context.Context, j *job.Job[Welcome]) error {
		fmt.Println("welcome,", j.Args.Name)
		return nil
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		answer, err := w.Invoke(context.Background(), []byte(`{"Records":[{"messageId":"059f36b4","receiptHandle":"AQEB",
			"body":"{\"event\":{\"id\":\"e1\",\"name\":\"user.registered\",\"v\":1,\"at\":\"2026-03-01T09:00:00Z\",\"data\":{\"name\":\"Ann\"}}}",
			"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:123456789012:Crumb-Mails"}]}`))
		fmt.Println(string(answer), err)
	}
	// Output:
	// welcome, Ann
	// {"batchItemFailures":[]} <nil>
	// {"batchItemFailures":[]} <nil>
}
