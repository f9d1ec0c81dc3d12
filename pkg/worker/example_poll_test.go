package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// oneMessage stands for queue.New(client) over a queue with one message.
type oneMessage struct {
	noSQS
	bodies  chan string
	deleted chan string
}

func (m oneMessage) Receive(ctx context.Context, _ string, ask queue.Ask) ([]queue.Incoming, error) {
	select {
	case body := <-m.bodies:
		return []queue.Incoming{{ID: "059f36b4", Receipt: "AQEB", Body: body, Receives: 1}}, nil
	case <-time.After(ask.Wait):
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m oneMessage) Delete(_ context.Context, _ string, receipts []string) []error {
	m.deleted <- receipts[0]
	return make([]error, len(receipts))
}

// A container's main is a handler for each task and Poll. The first SIGTERM lets it
// drain; the second ends it.
func ExampleWorker_Poll() {
	config, jobs := exampleConfig()
	w, err := worker.New(config, worker.Handle(welcome, func(_ context.Context, j *job.Job[Welcome]) error {
		fmt.Printf("Welcome, %s!\n", j.Args.Name)
		return nil
	}))
	if err != nil {
		panic(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)

	sqs := oneMessage{bodies: make(chan string, 1), deleted: make(chan string, 1)}
	id := job.ID("01hz7vq3k8m5n9p2r4s6t8w0xy")
	if _, _, err := jobs.Create(ctx, store.NewJob{ID: id, Task: "mail.welcome", Queue: "mails", MaxAttempts: 5, Args: []byte(`{"name":"Ada"}`)}); err != nil {
		panic(err)
	}
	sqs.bodies <- `{"id":"` + string(id) + `","n":1}`
	go func() {
		fmt.Println("acknowledged", <-sqs.deleted)
		stop() // as a signal does
	}()

	fmt.Println(w.Poll(ctx, worker.PollConfig{Receiver: sqs, Pollers: map[string]int{"mails": 4}}))
	// Output:
	// Welcome, Ada!
	// acknowledged AQEB
	// <nil>
}

// A handler tells how far it has come; a cancellation or a lost lease comes back.
func ExampleProgress() {
	config, jobs := exampleConfig()
	w, err := worker.New(config, worker.Handle(welcome, func(ctx context.Context, j *job.Job[Welcome]) error {
		for page := range 3 {
			if err := worker.Progress(ctx, j, map[string]int{"pages": page + 1}); err != nil {
				return err
			}
		}
		return nil
	}))
	if err != nil {
		panic(err)
	}
	rec := invoke(w, jobs, "mail.welcome", `{"name":"Ada"}`)
	fmt.Println(rec.State, string(rec.Progress))
	// Output:
	// {"batchItemFailures":[]}
	// done {"pages":3}
}

// WelcomeV1 is what the arguments of mail.greet were before the name was split.
type WelcomeV1 struct {
	Name string `json:"name"`
}

type WelcomeV2 struct {
	Given  string `json:"given"`
	Family string `json:"family"`
}

var greet = job.Define[WelcomeV2]("mail.greet", job.Policy{Queue: mails, Version: 2})

// Jobs that were enqueued before the change still run.
func ExampleUpgrade() {
	config, jobs := exampleConfig()
	w, err := worker.New(config, worker.Handle(greet, func(_ context.Context, j *job.Job[WelcomeV2]) error {
		fmt.Printf("Dear %s of the %ss\n", j.Args.Given, j.Args.Family)
		return nil
	}, worker.Upgrade(1, func(old WelcomeV1) (WelcomeV2, error) {
		given, family, ok := strings.Cut(old.Name, " ")
		if !ok {
			return WelcomeV2{}, errors.New("a name without a family name")
		}
		return WelcomeV2{Given: given, Family: family}, nil
	})))
	if err != nil {
		panic(err)
	}
	invoke(w, jobs, "mail.greet", `{"name":"Ada Lovelace"}`)
	// Output:
	// Dear Ada of the Lovelaces
	// {"batchItemFailures":[]}
}
