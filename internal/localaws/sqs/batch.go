package sqs

import (
	"context"
	"regexp"
)

const maxEntries = 10

var entryIDPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// A failure is one entry of a batch that was refused.
type failure struct {
	ID          string `json:"Id"`
	Code        string
	Message     string
	SenderFault bool
}

func failed(id string, err error) failure {
	code, message, sender := asRefusal(err)
	return failure{ID: id, Code: code, Message: message, SenderFault: sender}
}

// checkEntries holds a batch to the rules whose breach refuses it whole.
func checkEntries[T any](entries []T, id func(T) string) error {
	if len(entries) == 0 {
		return legacy("EmptyBatchRequest", "EmptyBatchRequest", "There should be at least one entry in the request.")
	}
	if len(entries) > maxEntries {
		return legacy("TooManyEntriesInBatchRequest", "TooManyEntriesInBatchRequest", "Maximum number of entries per request are %d. You have sent %d.", maxEntries, len(entries))
	}
	seen := map[string]bool{}
	for _, e := range entries {
		name := id(e)
		if !entryIDPattern.MatchString(name) {
			return legacy("InvalidBatchEntryId", "InvalidBatchEntryId", "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.")
		}
		if seen[name] {
			return legacy("BatchEntryIdsNotDistinct", "BatchEntryIdsNotDistinct", "Id %s repeated.", name)
		}
		seen[name] = true
	}
	return nil
}

type sendBatchInput struct {
	QueueURL string `json:"QueueUrl"`
	Entries  []entry
}

type sendBatchOutput struct {
	Successful []sent
	Failed     []failure
}

func (db *DB) sendMessageBatch(_ context.Context, in *sendBatchInput) (*sendBatchOutput, error) {
	_, s, err := db.lookUp(in.QueueURL)
	if err != nil {
		return nil, err
	}
	if err := checkEntries(in.Entries, func(e entry) string { return e.ID }); err != nil {
		return nil, err
	}
	total := 0
	out := &sendBatchOutput{Successful: []sent{}, Failed: []failure{}}
	var good []entry
	for _, e := range in.Entries {
		total += e.size()
		if err := e.check(s); err != nil {
			out.Failed = append(out.Failed, failed(e.ID, err))
		} else {
			good = append(good, e)
		}
	}
	if total > maxMessage {
		return nil, legacy("BatchRequestTooLong", "BatchRequestTooLong", "Batch requests cannot be longer than %d bytes. You have sent %d bytes.", maxMessage, total)
	}
	if len(good) == 0 {
		return out, nil
	}
	receipts, err := db.store(in.QueueURL, good)
	if err != nil {
		return nil, err
	}
	out.Successful = receipts
	return out, nil
}

// A success is an entry of which only its id is said.
type success struct {
	ID string `json:"Id"`
}

type batchOutput struct {
	Successful []success
	Failed     []failure
}

type deleteBatchInput struct {
	QueueURL string `json:"QueueUrl"`
	Entries  []struct {
		ID            string `json:"Id"`
		ReceiptHandle string
	}
}

func (db *DB) deleteMessageBatch(_ context.Context, in *deleteBatchInput) (*batchOutput, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range in.Entries {
		ids = append(ids, e.ID)
	}
	if err := checkEntries(ids, func(id string) string { return id }); err != nil {
		return nil, err
	}
	out := &batchOutput{Successful: []success{}, Failed: []failure{}}
	seen := map[*message]bool{}
	var good []*message
	for _, e := range in.Entries {
		m, err := q.deletable(e.ReceiptHandle)
		if err != nil {
			out.Failed = append(out.Failed, failed(e.ID, err))
			continue
		}
		out.Successful = append(out.Successful, success{e.ID})
		if m != nil && !seen[m] {
			seen[m] = true
			good = append(good, m)
		}
	}
	if len(good) == 0 {
		return out, nil
	}
	return out, db.drop(q, good)
}

type visibilityBatchInput struct {
	QueueURL string `json:"QueueUrl"`
	Entries  []visibilityEntry
}

func (db *DB) changeVisibilityBatch(_ context.Context, in *visibilityBatchInput) (*batchOutput, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, err
	}
	if err := checkEntries(in.Entries, func(e visibilityEntry) string { return e.ID }); err != nil {
		return nil, err
	}
	out := &batchOutput{Successful: []success{}, Failed: []failure{}}
	var changes []change
	for _, e := range in.Entries {
		m, err := q.changeable(e, db.now())
		if err != nil {
			out.Failed = append(out.Failed, failed(e.ID, err))
			continue
		}
		out.Successful = append(out.Successful, success{e.ID})
		changes = append(changes, change{m, *e.VisibilityTimeout})
	}
	if len(changes) == 0 {
		return out, nil
	}
	return out, db.reschedule(q, changes)
}
