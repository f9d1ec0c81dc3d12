package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/internal/runner"
)

// A stack is the chaos's stack: an AWS endpoint with two doors, and the functions.
// Functions and event sources use the door in which the storm stands; what judges
// them uses the other.
type stack struct {
	*runner.Stack
	storm    *storm
	dynamodb *dynamodb.Client
	streams  *dynamodbstreams.Client
	sqs      *sqs.Client
	pollers  *pollers

	late    sync.WaitGroup // deliveries to come
	closing context.Context
	closers []func() error // run last to first
}

// A config says how to start a stack.
type config struct {
	// template is the template's path; the programs are built in build, or are
	// there already.
	template, build string
	prebuilt        bool
	// workers bounds the batches of a queue that are under way at once.
	workers int
	// pollers is how many processes poll the queues beside Lambda.
	pollers int
	// parameters are the template's.
	parameters map[string]string
	// closed has nobody receive messages until it closes, if it is there.
	closed <-chan struct{}
	log    *slog.Logger
	// lines takes what functions write.
	lines func(function, line string)
}

func startStack(ctx context.Context, c config, s *storm) (_ *stack, err error) {
	closing, stop := context.WithCancel(context.Background())
	k := &stack{storm: s, closing: closing}
	k.onClose(func() error { stop(); return nil })
	defer func() {
		if err != nil {
			err = errors.Join(err, k.close())
		}
	}()
	endpoint, err := localaws.New(localaws.Config{Dir: localaws.InMemory, Logger: c.log, Fault: s.fault})
	if err != nil {
		return nil, err
	}
	k.onClose(endpoint.Close)
	stormy, err := k.serve(&duplicates{storm: s, next: endpoint, deliver: k.deliver, closed: c.closed})
	if err != nil {
		return nil, err
	}
	calm, err := k.serve(calmDoor{endpoint})
	if err != nil {
		return nil, err
	}
	k.clients(calm)
	k.Stack, err = runner.Start(ctx, runner.Config{
		Template: c.template, BuildDir: c.build, Prebuilt: c.prebuilt, Endpoint: stormy, Workers: c.workers, Parameters: c.parameters,
		StreamPoll: 50 * time.Millisecond, Logger: c.log, FunctionLog: c.lines,
	})
	if err != nil {
		return nil, err
	}
	k.onClose(k.Stack.Close)
	k.pollers, err = startPollers(ctx, k, c, stormy)
	if err != nil {
		return nil, err
	}
	k.onClose(k.pollers.close)
	return k, nil
}

func (k *stack) clients(url string) {
	c := aws.Config{Region: "us-east-1", BaseEndpoint: &url, Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")}
	k.dynamodb, k.streams, k.sqs = dynamodb.NewFromConfig(c), dynamodbstreams.NewFromConfig(c), sqs.NewFromConfig(c)
}

// serve opens a door on a free loopback port.
func (k *stack) serve(h http.Handler) (url string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listening: %w", err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends when the server is closed
	k.onClose(server.Close)
	return "http://" + listener.Addr().String(), nil
}

func (k *stack) onClose(f func() error) { k.closers = append(k.closers, f) }

func (k *stack) close() error {
	var errs []error
	for i := len(k.closers) - 1; i >= 0; i-- {
		errs = append(errs, k.closers[i]())
	}
	k.late.Wait()
	return errors.Join(errs...)
}

// feeds says which function a queue feeds.
func feeds(queue string) string {
	switch queue {
	case "BackstopQueue", "OrderedBackstopQueue.fifo":
		return "backstop"
	}
	return "worker"
}

// deliver hands a batch to the function of a queue once more, after a while.
func (k *stack) deliver(queue string, event []byte, after time.Duration) {
	k.late.Go(func() {
		select {
		case <-k.closing.Done():
			return
		case <-time.After(after):
		}
		// What comes of it is for the function to bear: the source that had
		// received the batch answers for its messages.
		_, _ = k.Invoke(k.closing, feeds(queue), event)
	})
}

// calmDoor marks calls of those who judge, which never go wrong.
type calmDoor struct{ next http.Handler }

func (c calmDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), calmKey{}, true)))
}

type calmKey struct{}

// isCalm tells whether a call came by the calm door.
func isCalm(r *http.Request) bool { return r.Context().Value(calmKey{}) != nil }
