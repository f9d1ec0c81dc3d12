package sqs

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// A waiting long poll is woken by whatever makes a message visible, and at once.
func TestLongPollWakes(t *testing.T) {
	cases := map[string]struct {
		prepare func(s *service, queue string)
		wait    time.Duration
	}{
		"arrival": {func(s *service, q string) {
			after(3*time.Second, func() { s.send(q, "x") })
		}, 3 * time.Second},
		"end of a delay": {func(s *service, q string) {
			s.send(q, "x", m{"DelaySeconds": 4})
		}, 4 * time.Second},
		"a delay that ends before the one awaited": {func(s *service, q string) {
			s.send(q, "later", m{"DelaySeconds": 15})
			after(time.Second, func() { s.send(q, "x", m{"DelaySeconds": 2}) })
		}, 3 * time.Second},
		"end of a visibility timeout": {func(s *service, q string) {
			s.send(q, "x")
			s.one(q, m{"VisibilityTimeout": 5})
		}, 5 * time.Second},
		"release": {func(s *service, q string) {
			s.send(q, "x")
			got := s.one(q)
			after(2*time.Second, func() { s.visibility(q, got, 0) })
		}, 2 * time.Second},
		"shorter visibility": {func(s *service, q string) {
			s.send(q, "x")
			got := s.one(q)
			after(time.Second, func() { s.visibility(q, got, 2) })
		}, 3 * time.Second},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t)
				queue := s.queue("q", nil)
				c.prepare(s, queue)
				start := time.Now()
				equal(t, "body", s.bodies(queue, m{"WaitTimeSeconds": 20}), "x")
				equal(t, "waited", time.Since(start), c.wait)
			})
		})
	}
}

func TestLongPollOfFIFOWakesWhenItsGroupIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q.fifo", m{"FifoQueue": "true", "ContentBasedDeduplication": "true"})
		s.send(queue, "a", m{"MessageGroupId": "g"})
		s.send(queue, "b", m{"MessageGroupId": "g"})
		first := s.one(queue)
		after(2*time.Second, func() {
			s.do("DeleteMessage", m{"QueueUrl": queue, "ReceiptHandle": first["ReceiptHandle"]})
		})
		start := time.Now()
		equal(t, "body", s.bodies(queue, m{"WaitTimeSeconds": 20}), "b")
		equal(t, "waited", time.Since(start), 2*time.Second)
	})
}

func TestLongPollEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q", m{"ReceiveMessageWaitTimeSeconds": "7"})
		start := time.Now()
		equal(t, "messages", len(s.receive(queue, m{"WaitTimeSeconds": 2})), 0)
		equal(t, "waited by the call", time.Since(start), 2*time.Second)
		equal(t, "messages", len(s.receive(queue)), 0)
		equal(t, "waited by the queue", time.Since(start), 9*time.Second)
		equal(t, "messages", len(s.receive(queue, m{"WaitTimeSeconds": 0})), 0)
		equal(t, "waited not at all", time.Since(start), 9*time.Second)

		after(time.Second, func() { s.do("DeleteQueue", m{"QueueUrl": queue}) })
		s.refused("ReceiveMessage", m{"QueueUrl": queue, "WaitTimeSeconds": 20}, "AWS.SimpleQueueService.NonExistentQueue")
		equal(t, "waited for the deletion", time.Since(start), 10*time.Second)
	})
}

// A caller that has gone leaves its message to the others.
func TestLongPollOfAGoneCallerTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q", nil)
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan error)
		wait := 20
		go func() {
			_, err := s.db.receiveMessage(ctx, &receiveInput{QueueURL: queue, WaitTimeSeconds: &wait})
			gone <- err
		}()
		got := make(chan string)
		synctest.Wait()
		go func() { got <- s.bodies(queue, m{"WaitTimeSeconds": 20}) }()
		synctest.Wait()
		leave()
		s.send(queue, "x")
		if err := <-gone; err == nil {
			t.Error("the gone caller got an answer")
		}
		start := time.Now()
		equal(t, "body", <-got, "x")
		equal(t, "waited", time.Since(start), 0)
	})
}

// Many waiting polls share what arrives: none sleeps beside a message.
func TestManyLongPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q", nil)
		const polls = 30
		got := make(chan string, polls)
		for range polls {
			go func() { got <- s.bodies(queue, m{"WaitTimeSeconds": 20}) }()
		}
		synctest.Wait()
		start := time.Now()
		for batch := range polls / 10 {
			var entries []m
			for i := range 10 {
				entries = append(entries, m{"Id": fmt.Sprint(i), "MessageBody": fmt.Sprint(batch*10 + i), "DelaySeconds": i % 3})
			}
			s.do("SendMessageBatch", m{"QueueUrl": queue, "Entries": entries})
		}
		seen := map[string]bool{}
		for range polls {
			seen[<-got] = true
		}
		equal(t, "distinct messages", len(seen), polls)
		equal(t, "waited for the longest delay", time.Since(start), 2*time.Second)
	})
}

func TestCloseEndsLongPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q", nil)
		ended := make(chan error)
		go func() {
			_, err := s.try("ReceiveMessage", m{"QueueUrl": queue, "WaitTimeSeconds": 20})
			ended <- err
		}()
		synctest.Wait()
		if err := s.db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil {
			t.Error("no error from a closed store")
		}
	})
}
