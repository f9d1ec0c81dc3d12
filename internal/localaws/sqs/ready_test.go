package sqs

import (
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A told is a service that notes what it is told of queues, under a clock that the test
// moves.
type told struct {
	*service
	mu     sync.Mutex
	now    time.Time
	timers map[int]alarm
	made   int
	some   map[string]bool
}

type alarm struct {
	at time.Time
	f  func()
}

func openTold(t *testing.T) *told {
	t.Helper()
	w := &told{now: time.Now(), timers: map[int]alarm{}, some: map[string]bool{}}
	w.service = &service{TB: t, path: filepath.Join(t.TempDir(), "sqs.db")}
	w.reopen()
	t.Cleanup(func() { _ = w.db.Close() })
	return w
}

func (w *told) reopen() {
	w.Helper()
	if w.db != nil {
		if err := w.db.Close(); err != nil {
			w.Fatal(err)
		}
		clear(w.some)
	}
	db, err := Open(Config{Path: w.path, BaseURL: func() string { return "http://local" }, Now: w.clock, AfterFunc: w.after,
		Ready: func(arn string, any bool) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.some[arn[len("arn:aws:sqs:us-east-1:000000000000:"):]] = any
		}})
	if err != nil {
		w.Fatal(err)
	}
	w.db = db
}

func (w *told) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *told) after(d time.Duration, f func()) func() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := w.made
	w.made++
	w.timers[id] = alarm{w.now.Add(d), f}
	return func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		_, there := w.timers[id]
		delete(w.timers, id)
		return there
	}
}

// pass lets the time pass and fires what is due.
func (w *told) pass(d time.Duration) {
	w.mu.Lock()
	w.now = w.now.Add(d)
	var due []func()
	for id, a := range w.timers {
		if !a.at.After(w.now) {
			due = append(due, a.f)
			delete(w.timers, id)
		}
	}
	w.mu.Unlock()
	for _, f := range due {
		f()
	}
}

func (w *told) is(what, queue string, want bool) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.some[queue] != want {
		w.Errorf("%s: told of %s that a message can be received: %v", what, queue, w.some[queue])
	}
}

func (w *told) receive(url string) m {
	w.Helper()
	messages := w.do("ReceiveMessage", m{"QueueUrl": url})["Messages"]
	if messages == nil {
		w.Fatal("nothing was received")
	}
	return messages.([]any)[0].(m)
}

// Nobody waits at the queue, and still it is told in time.
func TestReady(t *testing.T) {
	w := openTold(t)
	dead := w.queue("dead", nil)
	url := w.queue("q", m{"VisibilityTimeout": "30", "RedrivePolicy": `{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":2}`})
	w.is("empty", "q", false)
	w.do("SendMessage", m{"QueueUrl": url, "MessageBody": "x", "DelaySeconds": 60})
	w.is("delayed", "q", false)
	w.pass(59 * time.Second)
	w.is("a second before", "q", false)
	w.pass(time.Second)
	w.is("after its delay", "q", true)
	w.receive(url)
	w.is("in flight", "q", false)
	w.reopen()
	w.is("in flight, after a restart", "q", false)
	w.pass(30 * time.Second)
	w.is("visible again", "q", true)
	w.reopen()
	w.is("visible, after a restart", "q", true)
	got := w.receive(url)
	w.do("ChangeMessageVisibility", m{"QueueUrl": url, "ReceiptHandle": got["ReceiptHandle"], "VisibilityTimeout": 0})
	w.is("put back", "q", true)
	if w.do("ReceiveMessage", m{"QueueUrl": url})["Messages"] != nil {
		t.Fatal("it was received a third time")
	}
	w.is("moved away", "q", false)
	w.is("moved here", "dead", true)
	w.do("DeleteMessage", m{"QueueUrl": dead, "ReceiptHandle": w.receive(dead)["ReceiptHandle"]})
	w.is("deleted", "dead", false)
	w.do("SendMessage", m{"QueueUrl": url, "MessageBody": "x"})
	w.is("sent", "q", true)
	w.do("PurgeQueue", m{"QueueUrl": url})
	w.is("purged", "q", false)
	w.do("SendMessage", m{"QueueUrl": url, "MessageBody": "x"})
	w.do("DeleteQueue", m{"QueueUrl": url})
	w.is("the queue is gone", "q", false)
}

// A group whose first message is in flight has nothing for anybody.
func TestReadyOfGroups(t *testing.T) {
	w := openTold(t)
	url := w.queue("q.fifo", m{"FifoQueue": "true", "ContentBasedDeduplication": "true", "VisibilityTimeout": "30"})
	for _, body := range []string{"1", "2"} {
		w.do("SendMessage", m{"QueueUrl": url, "MessageBody": body, "MessageGroupId": "g"})
	}
	w.is("sent", "q.fifo", true)
	first := w.receive(url)
	w.is("the group is blocked", "q.fifo", false)
	w.do("DeleteMessage", m{"QueueUrl": url, "ReceiptHandle": first["ReceiptHandle"]})
	w.is("the group goes on", "q.fifo", true)
	w.receive(url)
	w.is("the last one is in flight", "q.fifo", false)
	w.pass(30 * time.Second)
	w.is("the last one is visible again", "q.fifo", true)
	w.do("PurgeQueue", m{"QueueUrl": url})
	w.is("purged", "q.fifo", false)
}

// A call that waits is woken by the clock's timer, not by the machine's.
func TestWaitingCallsAreWokenByTheClock(t *testing.T) {
	w := openTold(t)
	url := w.queue("q", nil)
	w.do("SendMessage", m{"QueueUrl": url, "MessageBody": "x", "DelaySeconds": 900})
	got := make(chan m)
	go func() { got <- w.do("ReceiveMessage", m{"QueueUrl": url, "WaitTimeSeconds": 20}) }()
	for waits := false; !waits; {
		w.db.mu.Lock()
		waits = len(w.db.queues["q"].waiters) > 0
		w.db.mu.Unlock()
	}
	w.pass(900 * time.Second)
	if out := <-got; out["Messages"] == nil {
		t.Error("it waited in vain")
	}
}
