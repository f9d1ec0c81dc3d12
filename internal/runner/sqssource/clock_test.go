package sqssource

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
)

// A trickle gives a message each time it is asked.
type trickle struct {
	Client
	asked []int32 // how long it may wait
}

func (q *trickle) ReceiveMessage(_ context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	q.asked = append(q.asked, in.WaitTimeSeconds)
	return &sqs.ReceiveMessageOutput{Messages: []types.Message{{Body: aws.String("x")}}}, nil
}

// The window for a batch passes by the stack's clock, which flies: long polls, which are
// the machine's, would make it last for hours of the stack.
func TestAWindowFlies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock.json")
	synctest.Test(t, func(t *testing.T) {
		c, err := clock.Open(clock.Config{Path: path, Scale: 600})
		if err != nil {
			t.Fatal(err)
		}
		queue := &trickle{}
		s, err := New(config(func(config *Config) {
			config.Clock, config.BatchSize, config.Window = c, 1000, 30*time.Second
		}), queue, nil)
		if err != nil {
			t.Fatal(err)
		}
		began, machine := c.Now(), time.Now()
		batch, err := s.receive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if passed := c.Now().Sub(began); passed < 29*time.Second || passed > 31*time.Second || len(batch) != 31 {
			t.Errorf("the window was %v, with %d messages", passed, len(batch))
		}
		if took := time.Since(machine); took > time.Second {
			t.Errorf("it took %v", took)
		}
		if queue.asked[0] != longPoll || queue.asked[1] != 0 {
			t.Errorf("the queue was asked to wait for %v", queue.asked)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
