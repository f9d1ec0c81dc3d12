package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// Poll over the wire: receipts, waits and deletions are those of a real queue.
func TestPollFromTheEndpoint(t *testing.T) {
	server, err := localaws.New(localaws.Config{Dir: localaws.InMemory})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := httptest.NewServer(server)
	t.Cleanup(func() {
		endpoint.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	client := sqs.New(sqs.Options{
		BaseEndpoint: &endpoint.URL, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	created, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("notes")})
	if err != nil {
		t.Fatal(err)
	}
	q, url := queue.New(client), *created.QueueUrl

	w := &world{t: t, queue: notes(nil), jobs: jobsOn(t, memstore.New(memstore.Config{}))}
	var ids []job.ID
	var messages []queue.Outgoing
	for i := range 25 {
		id := w.enqueue(fmt.Sprint(i), nil)
		ids, messages = append(ids, id), append(messages, queue.Outgoing{Body: message(id).body})
	}
	if err := errors.Join(q.Send(t.Context(), url, messages)...); err != nil {
		t.Fatal(err)
	}
	var ended sync.WaitGroup
	ended.Add(len(ids))
	short := job.Define[note]("note.write", job.Policy{Queue: w.queue, Backoff: backoff.Policy{Base: time.Millisecond, Floor: time.Millisecond}})
	w.worker, err = worker.New(worker.Config{
		Jobs: w.jobs, Queue: q, Addresses: map[string]queue.Address{"notes": {URL: url, Letters: url}}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}, worker.Handle(short, func(_ context.Context, j *job.Job[note]) error {
		if j.Args.Text == "7" && j.Attempt == 1 {
			return errors.New("boom")
		}
		ended.Done()
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { ended.Wait(); cancel() }() // the handlers have returned; Poll drains
	if err := w.worker.Poll(ctx, worker.PollConfig{Receiver: q}); err != nil {
		t.Error(err)
	}
	for i, id := range ids {
		want := 1
		if i == 7 {
			want = 2
		}
		if rec := w.get(id); rec.State != lifecycle.Done || rec.Attempt != want {
			t.Errorf("job %d is %s, attempt %d: %+v", i, rec.State, rec.Attempt, rec.Error)
		}
	}
	if depth, err := q.Depth(t.Context(), url); err != nil || depth.Total() != 0 {
		t.Errorf("the queue holds %+v, %v", depth, err)
	}
}
