package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Shares of what is doubled while the storm rages.
const (
	sentTwice      = 0.05
	sentAgainLater = 0.05
	deliveredTwice = 0.05
)

// remembered is how many calls that sent messages are kept to be repeated later.
const remembered = 256

// duplicates stands before the endpoint and doubles what SQS and Lambda may double:
// messages are sent twice, at once or later, and batches are delivered twice.
type duplicates struct {
	storm *storm
	next  http.Handler
	// deliver hands a batch to the function that is fed by a queue.
	deliver func(queue string, event []byte, after time.Duration)
	// closed has nobody receive until it closes; nil is open.
	closed <-chan struct{}

	mu   sync.Mutex
	sent [][]byte
}

func (d *duplicates) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Header.Get("X-Amz-Target") {
	case "AmazonSQS.SendMessageBatch":
		d.send(w, r)
	case "AmazonSQS.ReceiveMessage":
		d.receive(w, r)
	default:
		d.next.ServeHTTP(w, r)
	}
}

// queueOf gives the name of the queue that a call is for.
func queueOf(body []byte) string {
	var in struct{ QueueUrl string }
	if json.Unmarshal(body, &in) != nil {
		return ""
	}
	return in.QueueUrl[strings.LastIndexByte(in.QueueUrl, '/')+1:]
}

func (d *duplicates) send(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller is gone
	}
	random, rate := d.storm.draw("duplicates.send")
	if rate > 0 && !strings.Contains(queueOf(body), "DeadLetter") {
		if random.Float64() < sentTwice {
			d.repeat(r, body, "messages sent twice")
		}
		if earlier := d.remember(body, random.IntN(remembered)); earlier != nil && random.Float64() < sentAgainLater {
			d.repeat(r, earlier, "messages sent again later")
		}
	}
	d.next.ServeHTTP(w, withBody(r, body))
}

// remember keeps a call and gives an earlier one, once there are enough.
func (d *duplicates) remember(body []byte, at int) (earlier []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.sent) < remembered {
		d.sent = append(d.sent, body)
		if at >= len(d.sent) {
			return nil
		}
		return d.sent[at]
	}
	earlier, d.sent[at] = d.sent[at], body
	return earlier
}

func (d *duplicates) repeat(r *http.Request, body []byte, what string) {
	defer func() {
		// So a fault breaks the connection; nobody waits for this answer.
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	d.storm.note(what)
	d.next.ServeHTTP(httptest.NewRecorder(), withBody(r, body))
}

func withBody(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

// receive lets some of what is received be delivered a second time, with the same
// receipts, at once or while the first delivery is long under way.
func (d *duplicates) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller is gone
	}
	if d.closed != nil {
		select {
		case <-d.closed:
		case <-r.Context().Done():
			return
		}
	}
	random, rate := d.storm.draw("duplicates.receive")
	queue := queueOf(body)
	if rate == 0 || random.Float64() >= deliveredTwice || strings.Contains(queue, "DeadLetter") {
		d.next.ServeHTTP(w, withBody(r, body))
		return
	}
	copied := &tee{ResponseWriter: w}
	d.next.ServeHTTP(copied, withBody(r, body))
	if event := eventOf(queue, copied.body.Bytes()); event != nil {
		d.storm.note("batches delivered twice")
		d.deliver(queue, event, time.Duration(random.Int64N(int64(3*time.Second))))
	}
}

// A tee keeps what it writes.
type tee struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (t *tee) Write(p []byte) (int, error) {
	t.body.Write(p)
	return t.ResponseWriter.Write(p)
}

// eventOf makes Lambda's event of an answer of ReceiveMessage; nil where it has no
// messages.
func eventOf(queue string, answer []byte) []byte {
	var received struct {
		Messages []struct {
			MessageId, ReceiptHandle, Body, MD5OfBody string
			Attributes                                map[string]string
		}
	}
	if json.Unmarshal(answer, &received) != nil || len(received.Messages) == 0 {
		return nil
	}
	var records []map[string]any
	for _, m := range received.Messages {
		records = append(records, map[string]any{
			"messageId": m.MessageId, "receiptHandle": m.ReceiptHandle, "body": m.Body, "md5OfBody": m.MD5OfBody,
			"attributes": m.Attributes, "messageAttributes": map[string]any{},
			"eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:" + queue, "awsRegion": "us-east-1",
		})
	}
	event, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		return nil // strings always encode
	}
	return event
}
