package worker

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotABatch is wrapped where an invocation's payload is no batch of SQS
// messages. The whole batch then fails: nothing is acknowledged by accident.
var ErrNotABatch = errors.New("worker: not a batch of SQS messages")

// decodeBatch reads the event: names in their exact case, none twice. Members
// that AWS may add are passed over. All records are of one queue, as a mapping
// delivers them; queue is its name at SQS.
func decodeBatch(event []byte) (records []record, queue string, err error) {
	reader := eventReader{room: min(1+len(event)/usualRecord, usualBatch)}
	if err := json.Unmarshal(event, &reader); err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrNotABatch, err)
	}
	if len(reader.records) == 0 {
		return nil, "", fmt.Errorf("%w: it has no Records", ErrNotABatch)
	}
	records = reader.records
	for i := range records {
		r := &records[i]
		switch {
		case r.MessageID == "":
			return nil, "", fmt.Errorf("%w: record %d has no messageId", ErrNotABatch, i)
		case r.Source != sourceSQS:
			return nil, "", fmt.Errorf("%w: record %d comes from %q", ErrNotABatch, i, r.Source)
		case r.ARN == "" || r.ARN != records[0].ARN:
			return nil, "", fmt.Errorf("%w: record %d comes from queue %q, the first from %q", ErrNotABatch, i, r.ARN, records[0].ARN)
		}
	}
	return records, records[0].ARN[strings.LastIndexByte(records[0].ARN, ':')+1:], nil
}

// answer makes the partial batch response. An id that is named twice is a
// mistake of whoever sent the event, and is answered once.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
func (b *batch) answer() ([]byte, error) {
	out := []byte(`{"batchItemFailures":[`)
	for i, fate := range b.fates {
		if fate.acknowledged || b.failedBefore(i) {
			continue
		}
		if out[len(out)-1] == '}' {
			out = append(out, ',')
		}
		out = append(out, `{"itemIdentifier":`...)
		var err error
		if out, err = jsontext.AppendQuote(out, b.records[i].MessageID); err != nil {
			return nil, fmt.Errorf("worker: answering: %w", err)
		}
		out = append(out, '}')
	}
	return append(out, `]}`...), nil
}

// failedBefore tells whether an earlier record of the same id failed.
func (b *batch) failedBefore(i int) bool {
	for k := range i {
		if !b.fates[k].acknowledged && b.records[k].MessageID == b.records[i].MessageID {
			return true
		}
	}
	return false
}
