package sns

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// queues is what was sent, and what goes wrong.
type queues struct {
	mu   sync.Mutex
	fail func(queue, body string) error
	got  map[string][]string
	more chan struct{}
}

func newQueues() *queues { return &queues{got: map[string][]string{}, more: make(chan struct{}, 100)} }

func (q *queues) send(_ context.Context, queue string, messages []Outgoing) []error {
	q.mu.Lock()
	defer q.mu.Unlock()
	results := make([]error, len(messages))
	for i, m := range messages {
		if q.fail != nil {
			results[i] = q.fail(queue, m.Body)
		}
		if results[i] == nil {
			name := queue[strings.LastIndex(queue, ":")+1:]
			q.got[name] = append(q.got[name], m.Body)
			q.more <- struct{}{}
		}
	}
	return results
}

func (q *queues) setFail(fail func(queue, body string) error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fail = fail
}

func (q *queues) in(name string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return strings.Join(q.got[name], " ")
}

// wait waits for the next message.
func (q *queues) wait(t *testing.T) {
	t.Helper()
	select {
	case <-q.more:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing more comes")
	}
}

func open(t *testing.T, path string, q *queues, every time.Duration) *DB {
	t.Helper()
	db, err := Open(Config{Path: path, Send: q.send, RetryEvery: every})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// do calls an operation with parameters.
func (db *DB) do(t *testing.T, operation string, parameters ...string) any {
	t.Helper()
	values := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		values.Set(parameters[i], parameters[i+1])
	}
	result, err := db.run(operations[operation], call{form: form{values: values}})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

const account = "arn:aws:sns:us-east-1:000000000000:"

func (db *DB) wire(t *testing.T, topic string, queues ...string) {
	t.Helper()
	db.do(t, "CreateTopic", "Name", topic, "Attributes.entry.1.key", "FifoTopic", "Attributes.entry.1.value", fmt.Sprint(strings.HasSuffix(topic, ".fifo")))
	for _, q := range queues {
		db.do(t, "Subscribe", "TopicArn", account+topic, "Protocol", "sqs", "Endpoint", "arn:aws:sqs:us-east-1:000000000000:"+q,
			"Attributes.entry.1.key", "RawMessageDelivery", "Attributes.entry.1.value", "true")
	}
}

// What a queue doesn't take for now stays owed, over a restart; others don't wait.
func TestOwedOverRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sns.db")
	q := newQueues()
	q.setFail(func(queue, _ string) error {
		if strings.HasSuffix(queue, ":down") {
			return errors.New("disk full")
		}
		return nil
	})
	db := open(t, path, q, time.Hour)
	db.wire(t, "t", "down", "up")
	db.do(t, "Publish", "TopicArn", account+"t", "Message", "1")
	db.do(t, "Publish", "TopicArn", account+"t", "Message", "2")
	if q.in("down") != "" || q.in("up") != "1 2" {
		t.Fatalf("%q %q", q.in("down"), q.in("up"))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	q.setFail(nil)
	open(t, path, q, time.Hour)
	for q.in("down") != "1 2" {
		q.wait(t)
	}
}

// A FIFO queue gets nothing out of order, even if one of its messages comes later.
func TestOrderAfterFailure(t *testing.T) {
	q := newQueues()
	failing := true
	q.setFail(func(_, body string) error {
		if failing {
			return errors.New("for now")
		}
		return nil
	})
	db := open(t, filepath.Join(t.TempDir(), "sns.db"), q, time.Millisecond)
	db.wire(t, "t.fifo", "q.fifo")
	for i := range 25 {
		db.do(t, "Publish", "TopicArn", account+"t.fifo", "Message", fmt.Sprint(i), "MessageGroupId", "g", "MessageDeduplicationId", fmt.Sprint(i))
	}
	q.mu.Lock()
	failing = false
	q.mu.Unlock()
	for range 25 {
		q.wait(t)
	}
	var want []string
	for i := range 25 {
		want = append(want, fmt.Sprint(i))
	}
	if got := q.in("q.fifo"); got != strings.Join(want, " ") {
		t.Error(got)
	}
}

const crashFile = "NIGHTSHIFT_TEST_SNS_FILE"

// TestMain turns the test binary into the process that TestCrash kills.
func TestMain(m *testing.M) {
	if path := os.Getenv(crashFile); path != "" {
		if err := publishForever(path); err != nil {
			fmt.Println("error", err)
		}
		return
	}
	os.Exit(m.Run())
}

// publishForever publishes numbers from the one in the environment on, to a FIFO
// topic, whose memory of a number outlives the process: it says what was delivered
// and what was answered, each once it is.
func publishForever(path string) error {
	db, err := Open(Config{Path: path, Send: func(_ context.Context, queue string, messages []Outgoing) []error {
		for _, m := range messages {
			fmt.Println("delivered", queue+" "+m.Body)
		}
		return make([]error, len(messages))
	}})
	if err != nil {
		return err
	}
	run := func(operation, query string) error {
		f, err := parseForm(query)
		if err == nil {
			_, err = db.run(operations[operation], call{form: f})
		}
		return err
	}
	const topic = account + "t.fifo"
	err = run("CreateTopic", "Name=t.fifo&Attributes.entry.1.key=FifoTopic&Attributes.entry.1.value=true")
	for _, queue := range crashQueues {
		err = errors.Join(err, run("Subscribe", "TopicArn="+topic+"&Protocol=sqs&Endpoint="+queue+"&Attributes.entry.1.key=RawMessageDelivery&Attributes.entry.1.value=true"))
	}
	i, _ := strconv.Atoi(os.Getenv(crashFrom)) // absent at first
	for ; err == nil; i++ {
		if err = run("Publish", fmt.Sprintf("TopicArn=%s&Message=%d&MessageGroupId=g&MessageDeduplicationId=%d", topic, i, i)); err == nil {
			fmt.Println("answered", i)
		}
	}
	return err
}

const crashFrom = "NIGHTSHIFT_TEST_SNS_FROM"

var crashQueues = []string{"arn:aws:sqs:us-east-1:000000000000:a.fifo", "arn:aws:sqs:us-east-1:000000000000:b"}

// What was answered was, or will be, delivered to both queues, whenever the process
// is killed. The next process publishes again what was not answered, as a publisher
// does: the topic knows it already, and owes it.
func TestCrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sns.db")
	delivered, answered := map[string]bool{}, 0
	for round := range 20 {
		killAfter(t, path, 30+7*round, delivered, &answered)
	}
	q := newQueues()
	q.more = make(chan struct{}, 10000)
	db := open(t, path, q, time.Hour)
	for owed := true; owed; owed = owesAny(db) {
		runtime.Gosched()
	}
	for _, queue := range crashQueues {
		for _, body := range strings.Fields(q.in(queue[strings.LastIndex(queue, ":")+1:])) {
			delivered[queue+" "+body] = true
		}
		for i := range answered {
			if key := fmt.Sprint(queue, " ", i); !delivered[key] {
				t.Errorf("%d was answered, and not delivered to %s", i, queue)
			}
		}
	}
	if answered < 100 {
		t.Errorf("only %d were answered", answered)
	}
}

func owesAny(db *DB) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return len(db.waiting) > 0
}

// killAfter runs a child until it has said so much, and kills it.
func killAfter(t *testing.T, path string, lines int, delivered map[string]bool, answered *int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), crashFile+"="+path, fmt.Sprint(crashFrom, "=", *answered))
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	for n := 0; scanner.Scan(); n++ {
		what, of, _ := strings.Cut(scanner.Text(), " ")
		switch what {
		case "error":
			t.Fatal(of)
		case "delivered":
			delivered[of] = true
		case "answered":
			*answered++
		}
		if n == lines {
			if err := child.Process.Kill(); err != nil { // SIGKILL
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
}
