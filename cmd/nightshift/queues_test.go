package main

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/standing"
)

func TestAQueuesRow(t *testing.T) {
	view := viewpoint{time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), time.UTC}
	age, letters := 754.0, 2
	for want, q := range map[string]standing.Queue{
		"notes|3|0|1|-|-|-|-|-|at work":              {Queue: "notes", Visible: 3, InFlight: 1, Workers: "at work"},
		"photos|9|0|0|2|18000|?|10 min|open|at work": {Queue: "photos", Visible: 9, Letters: &letters, Limit: 18000, LongestWait: 600, Gate: standing.Open, Workers: "at work"},
		"photos|9|0|0|-|18000|12 min 34 s|10 min|full|paused, until 2026-03-02 09:30:00 UTC (in 30m)": {
			Queue: "photos", Visible: 9, Limit: 18000, LongestWait: 600, Age: &age, Gate: standing.Full, Paused: true, Workers: "paused", Until: view.now.Add(30 * time.Minute),
		},
	} {
		if got := strings.ReplaceAll(queueRow(q, view), "\t", "|"); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// What can't be read of one queue is told, and the others are shown.
func TestAQueueThatIsGone(t *testing.T) {
	d := startDeadStack(t)
	d.knows(`{"mail":{"least":2,"most":2,"side_by_side":1},"notes":{"least":2,"most":2,"side_by_side":1}}`)
	d.want(d.run("queues", "pause", "mail"), 0, "asked: paused", "")
	d.want(d.run("queues", "list"), 0, "to be paused within a minute, until ", "")
	d.want(d.run("queues", "list", "--json"), 0, `"paused":false,"workers":"to be paused within a minute","until":"`, "")
	url := d.found.Settings["NIGHTSHIFT_QUEUE_NOTES_URL"]
	if _, err := d.client.DeleteQueue(t.Context(), &sqs.DeleteQueueInput{QueueUrl: &url}); err != nil {
		t.Fatal(err)
	}
	d.want(d.run("queues", "list"), 1, "\nmail   ", "notes: ")
}
