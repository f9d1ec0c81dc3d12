package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/topic"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

type Recipe struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
}

var (
	Recipes   = job.Topic{Name: "recipes"}
	Published = job.DefineEvent[Recipe]("recipe.published", Recipes)
	Withdrawn = job.DefineEvent[Recipe]("recipe.withdrawn", Recipes)
	Ordered   = job.DefineEvent[Recipe]("recipe.edited", job.Topic{Name: "edits", FIFO: true})

	Thumbnails = job.Queue{Name: "thumbnails", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute}
	Thumbnail  = job.Define[Recipe]("recipe.thumbnail", job.Policy{Queue: Thumbnails})
)

// save is the caller's own row, which may be there once.
func save(id string) outbox.Action {
	return outbox.Write(store.Write{
		Op: store.Put, Table: "recipes", Item: store.Item{"id": &types.AttributeValueMemberS{Value: id}},
		Condition: "attribute_not_exists(id)",
	})
}

func newOutbox() (*outbox.Outbox, *store.Jobs, *memstore.Driver) {
	memory := memstore.New(memstore.Config{Tables: map[string][]string{"recipes": {"id"}}})
	jobs, err := store.New(store.Config{Driver: memory})
	if err != nil {
		panic(err)
	}
	p, err := producer.New(producer.Config{Jobs: jobs}, Thumbnail)
	if err != nil {
		panic(err)
	}
	box, err := outbox.New(outbox.Config{Jobs: jobs, Producer: p})
	if err != nil {
		panic(err)
	}
	return box, jobs, memory
}

// kinds counts the rows of the jobs table that ask to be published, by where to.
func kinds(memory *memstore.Driver) map[string]int {
	count := map[string]int{}
	for _, row := range memory.Rows() {
		if m, ok := row[store.Publish].(*types.AttributeValueMemberM); ok {
			count[m.Value["to"].(*types.AttributeValueMemberS).Value]++
		}
	}
	return count
}

func TestAllOrNothing(t *testing.T) {
	box, _, memory := newOutbox()
	publish := func() error {
		return box.Transact(t.Context(), save("soup"),
			outbox.Enqueue(Thumbnail.With(Recipe{ID: "soup"})), outbox.Publish(Published.With("recipe/soup", Recipe{ID: "soup"})))
	}
	if err := publish(); err != nil {
		t.Fatal(err)
	}
	want := "map[queue:thumbnails:1 topic:recipes:1]"
	if got := fmt.Sprint(kinds(memory)); got != want {
		t.Errorf("the rows go to %s, want %s", got, want)
	}
	var refused *store.ConditionError
	if err := publish(); !errors.As(err, &refused) || refused.Index != 0 || refused.Old == nil {
		t.Errorf("the same recipe again: %v", err)
	}
	if got := fmt.Sprint(kinds(memory)); got != want {
		t.Errorf("after a refused transaction the rows go to %s, want %s", got, want)
	}
}

func TestWhatIsRefused(t *testing.T) {
	box, _, memory := newOutbox()
	many := func(n, bytes int) (actions []outbox.Action) {
		for i := range n {
			actions = append(actions, outbox.Write(store.Write{Op: store.Put, Table: "recipes", Item: store.Item{
				"id": &types.AttributeValueMemberS{Value: fmt.Sprint(i)}, "text": &types.AttributeValueMemberS{Value: strings.Repeat("x", bytes)},
			}}))
		}
		return actions
	}
	touch := outbox.Write(store.Write{Op: store.Delete, Table: "recipes", Key: store.Item{"id": &types.AttributeValueMemberS{Value: "a"}}})
	for name, c := range map[string]struct {
		actions []outbox.Action
		want    error
	}{
		"nothing":                       {nil, outbox.ErrAction},
		"100 actions":                   {many(100, 1), nil},
		"101 actions":                   {many(101, 1), outbox.ErrTooMuch},
		"100 rows of 45 KB":             {many(100, 45<<10), outbox.ErrTooMuch},
		"one row twice":                 {[]outbox.Action{touch, touch}, outbox.ErrAction},
		"a unique job":                  {[]outbox.Action{outbox.Enqueue(Thumbnail.With(Recipe{}), job.Unique("k"))}, outbox.ErrAction},
		"wrong arguments":               {[]outbox.Action{outbox.Enqueue(job.Request{Definition: Thumbnail.Definition(), Arguments: 7})}, producer.ErrArguments},
		"data of another type":          {[]outbox.Action{outbox.Publish(job.Occurrence{Definition: Published.Definition(), Data: 7})}, outbox.ErrAction},
		"an event without a definition": {[]outbox.Action{outbox.Publish(job.Occurrence{})}, outbox.ErrAction},
		"too much data":                 {[]outbox.Action{outbox.Publish(Published.With("", Recipe{Title: strings.Repeat("x", outbox.MaxEvent)}))}, outbox.ErrTooMuch},
		"data that grow when escaped":   {[]outbox.Action{outbox.Publish(Published.With("", Recipe{Title: strings.Repeat("<", outbox.MaxEvent/5)}))}, outbox.ErrTooMuch},
		"a key that is no UTF-8":        {[]outbox.Action{outbox.Publish(Published.With("\xff", Recipe{}))}, outbox.ErrAction},
		"a row of 400 KiB and more":     {many(1, outbox.MaxRow), outbox.ErrTooMuch},
		"a FIFO topic without a key":    {[]outbox.Action{outbox.Publish(Ordered.With("", Recipe{}))}, outbox.ErrAction},
		"a key of 1025 bytes":           {[]outbox.Action{outbox.Publish(Published.With(strings.Repeat("k", 1025), Recipe{}))}, outbox.ErrAction},
	} {
		if err := box.Transact(t.Context(), c.actions...); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if got := kinds(memory); len(got) != 0 {
		t.Errorf("refused transactions left rows that go to %v", got)
	}
}

// The largest event that is let through is one that SNS takes, and the next larger
// one is not let through.
func TestTheLargestEvent(t *testing.T) {
	box, _, memory := newOutbox()
	size := func(title int) error {
		return box.Transact(t.Context(), outbox.Publish(Published.With("recipe/1", Recipe{Title: strings.Repeat("x", title)}).Traced("Root=1-5759e988-bd862e3fe1be46a994272793")))
	}
	most := sort.Search(outbox.MaxEvent, func(n int) bool { return size(n) != nil }) - 1
	if err := size(most + 1); !errors.Is(err, outbox.ErrTooMuch) {
		t.Errorf("a byte more: %v", err)
	}
	largest := 0
	for _, row := range memory.Rows() {
		e, err := store.DecodeEvent(row)
		if err != nil {
			t.Fatal(err)
		}
		e.Created = e.Created.Truncate(time.Second).Add(123 * time.Millisecond) // as long as a time gets
		m, err := topic.Message(e.NewEvent, e.Created)
		if err != nil || e.Trace != "Root=1-5759e988-bd862e3fe1be46a994272793" {
			t.Fatalf("%+v, %v", e.Trace, err)
		}
		largest = max(largest, m.Size())
	}
	if largest > topic.MaxBatchBytes || largest < topic.MaxBatchBytes-10 {
		t.Errorf("the largest event makes a message of %d bytes", largest)
	}
}

func TestEveryMistakeIsReported(t *testing.T) {
	box, _, _ := newOutbox()
	_, err := box.Writes(t.Context(), outbox.Enqueue(job.Request{}), save("a"), outbox.Publish(job.Occurrence{}))
	if err == nil || !strings.Contains(err.Error(), "action 0") || !strings.Contains(err.Error(), "action 2") {
		t.Errorf("Writes = %v", err)
	}
	if _, err := outbox.New(outbox.Config{}); err == nil {
		t.Error("an outbox without a table")
	}
	bare, err := outbox.New(outbox.Config{Jobs: &store.Jobs{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := bare.Transact(t.Context(), outbox.Enqueue(Thumbnail.With(Recipe{}))); !errors.Is(err, outbox.ErrAction) {
		t.Errorf("a job without a producer: %v", err)
	}
}

func Example() {
	box, _, memory := newOutbox()
	soup := Recipe{ID: "soup", Title: "Tomato soup"}
	err := box.Transact(context.Background(),
		outbox.Write(store.Write{
			Op: store.Put, Table: "recipes", Item: store.Item{"id": &types.AttributeValueMemberS{Value: soup.ID}},
			Condition: "attribute_not_exists(id)",
		}),
		outbox.Enqueue(Thumbnail.With(soup)),
		outbox.Publish(Published.With("recipe/soup", soup)),
	)
	fmt.Println(err, kinds(memory))
	// Output: <nil> map[queue:thumbnails:1 topic:recipes:1]
}

// A handler publishes in the transaction that ends its job: the event is out if and
// only if the job is done.
func ExamplePublish() {
	box, jobs, memory := newOutbox()
	render := func(ctx context.Context, j *job.Job[Recipe]) error {
		writes, err := box.Writes(ctx, outbox.Publish(Published.With("recipe/"+j.Args.ID, j.Args).Traced(j.Trace)))
		if err != nil {
			return err
		}
		return worker.Commit(ctx, j, writes...)
	}
	w, err := worker.New(worker.Config{
		Jobs: jobs, Queue: noSQS{}, Addresses: map[string]queue.Address{"thumbnails": {URL: "https://sqs/thumbnails", Letters: "https://sqs/dead"}},
	}, worker.Handle(Thumbnail, render))
	if err != nil {
		fmt.Println(err)
		return
	}
	id := job.ID("01hz7vq3k8m5n9p2r4s6t8w0xy")
	_, _, err = jobs.Create(context.Background(), store.NewJob{ID: id, Task: "recipe.thumbnail", Queue: "thumbnails", MaxAttempts: 3, Args: []byte(`{"id":"soup"}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := w.Invoke(context.Background(), []byte(`{"Records":[{"messageId":"m","receiptHandle":"r","body":"{\"id\":\"`+string(id)+`\",\"n\":1}",
		"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:123456789012:thumbnails"}]}`))
	rec, _ := jobs.Get(context.Background(), id)
	fmt.Println(string(answer), err, rec.State, kinds(memory))
	// Output: {"batchItemFailures":[]} <nil> done map[topic:recipes:1]
}

// noSQS stands for queue.New(client).
type noSQS struct{}

func (noSQS) Send(context.Context, string, []queue.Outgoing) []error { return nil }
func (noSQS) Hide(context.Context, string, []queue.Hidden) []error   { return nil }
