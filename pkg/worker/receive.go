package worker

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// receiveWaits lie between a receive that failed and the next.
var receiveWaits = backoff.Policy{Base: time.Second, Floor: 100 * time.Millisecond, Cap: 20 * time.Second}

// receive asks for one batch until an answer comes. started is when it came.
func (p *poll) receive(s *served) (records []record, started time.Time) {
	ask := queue.Ask{Most: s.BatchSize(), Wait: queue.LongestPoll, Hide: p.config.hidden()}
	for failures := 1; ; failures++ {
		messages, err := p.ask(s, &ask)
		if err == nil {
			return recordsOf(messages), p.Worker.config.Now()
		}
		if p.stopped() {
			return nil, time.Time{}
		}
		wait := receiveWaits.After(failures, p.Worker.config.Random)
		p.Worker.config.Logger.WarnContext(p.receiving, "nothing could be received", "queue", s.Queue.Name, "wait", wait, "error", err.Error())
		if !sleep(p.receiving, wait) {
			return nil, time.Time{}
		}
	}
}

// ask receives once. From a FIFO queue each try has the same name, so that an
// answer that was lost does not hold up its groups.
func (p *poll) ask(s *served, ask *queue.Ask) ([]queue.Incoming, error) {
	if s.Queue.FIFO && ask.Attempt == "" {
		var err error
		if ask.Attempt, err = p.Worker.config.Jobs.NewToken(); err != nil {
			return nil, err
		}
	}
	return p.config.Receiver.Receive(p.receiving, s.URL, *ask)
}

func recordsOf(messages []queue.Incoming) []record {
	records := make([]record, len(messages))
	for i, m := range messages {
		records[i] = record{
			MessageID: m.ID, Receipt: m.Receipt, Body: m.Body, Source: sourceSQS,
			Receives: strconv.Itoa(m.Receives), Group: m.Group, Trace: m.Trace, Attributes: encodeAttributes(m.Attributes),
		}
	}
	return records
}

// encodeAttributes gives message attributes as Lambda's events have them.
func encodeAttributes(attributes map[string]queue.Attribute) string {
	if len(attributes) == 0 {
		return ""
	}
	encoded := make(map[string]eventAttribute, len(attributes))
	for name, a := range attributes {
		encoded[name] = eventAttribute(a)
	}
	data, err := json.Marshal(encoded)
	if err != nil {
		panic(err) // a map of strings and bytes
	}
	return string(data)
}
