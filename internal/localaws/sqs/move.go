package sqs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A moveTask takes the visible messages of a dead-letter queue back to where
// they came from, or to another queue. Without a rate it moves them as fast as
// it can.
type moveTask struct {
	Handle  string
	Source  string // ARN
	Target  string `json:",omitempty"` // ARN; "" means each message's own source
	Rate    int    `json:",omitempty"` // messages a second
	Status  string
	Failure string `json:",omitempty"`
	Moved   int64
	ToMove  int64
	Started int64
}

const (
	moveChunk = 500
	moveTick  = 100 * time.Millisecond
)

type startMoveInput struct {
	SourceARN      string `json:"SourceArn"`
	DestinationARN string `json:"DestinationArn"`
	Rate           *int   `json:"MaxNumberOfMessagesPerSecond"`
}

type startMoveOutput struct{ TaskHandle string }

func (db *DB) startMove(_ context.Context, in *startMoveInput) (*startMoveOutput, error) {
	if in.SourceARN == "" {
		return nil, missingParameter("SourceArn")
	}
	if in.Rate != nil && (*in.Rate < 1 || *in.Rate > 500) {
		return nil, invalidParameter("MaxNumberOfMessagesPerSecond", *in.Rate, "Must be between 1 and 500.")
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, errClosed
	}
	source := db.byARN(in.SourceARN)
	if source == nil || in.DestinationARN != "" && db.byARN(in.DestinationARN) == nil {
		return nil, noSuchResource()
	}
	if len(db.sources(in.SourceARN)) == 0 {
		return nil, refuse("InvalidParameterValue", "Source queue must be configured as a Dead Letter Queue.")
	}
	if target := db.byARN(in.DestinationARN); target != nil && (target == source || target.settings.fifo != source.settings.fifo) {
		return nil, refuse("InvalidParameterValue", "The destination must be another queue of the same type as the source.")
	}
	if db.moves[in.SourceARN] != nil {
		return nil, refuse("InvalidParameterValue", "There is already a task running. Only one active task is allowed for a source queue arn at a given time.")
	}
	if err := db.tidy(source); err != nil {
		return nil, err
	}
	t := &moveTask{Handle: newID(), Source: in.SourceARN, Target: in.DestinationARN, Status: "RUNNING", ToMove: int64(len(source.messages)), Started: db.now()}
	if in.Rate != nil {
		t.Rate = *in.Rate
	}
	db.moves[t.Source] = t
	if err := db.putMove(t); err != nil {
		delete(db.moves, t.Source)
		return nil, err
	}
	if db.step(t) { // a short one is over when the call is answered
		db.movers.Go(func() { db.runMove(t) })
	}
	return &startMoveOutput{t.Handle}, nil
}

func noSuchResource() error {
	return refuse("ResourceNotFoundException", "One or more of the resources doesn't exist.")
}

func (db *DB) putMove(t *moveTask) error {
	return db.write(func(tx *bolt.Tx) error { return putJSON(tx, movesBucket, []byte(t.Handle), t) })
}

// runMove goes on with a task until it is over or the DB is closed; a task that
// is not over goes on at the next Open.
func (db *DB) runMove(t *moveTask) {
	ticker := time.NewTicker(moveTick)
	defer ticker.Stop()
	for {
		select {
		case <-db.done:
			return
		case <-ticker.C:
		}
		db.mu.Lock()
		more := !db.closed && db.step(t)
		db.mu.Unlock()
		if !more {
			return
		}
	}
}

// step moves the next messages and says whether there are more to come.
func (db *DB) step(t *moveTask) bool {
	if t.Status != "RUNNING" {
		return false
	}
	due := int64(moveChunk)
	if t.Rate > 0 {
		due = max((db.now()-t.Started)*int64(t.Rate)/1000+1-t.Moved, 0)
	}
	left, err := db.moveSome(t, int(due))
	switch {
	case err != nil:
		t.Status, t.Failure = "FAILED", err.Error()
	case left == 0:
		t.Status = "COMPLETED"
	}
	if t.Status == "RUNNING" {
		return true
	}
	delete(db.moves, t.Source)
	if err := db.putMove(t); err != nil {
		t.Status, t.Failure = "FAILED", err.Error()
	}
	return false
}

// moveSome moves up to n messages and gives how many visible ones are left.
// What it moves counts as new: it gets another id and its time of sending.
func (db *DB) moveSome(t *moveTask, n int) (int, error) {
	source := db.byARN(t.Source)
	if source == nil {
		return 0, fmt.Errorf("AWS.SimpleQueueService.NonExistentQueue")
	}
	if err := db.tidy(source); err != nil {
		return 0, err
	}
	picked, _ := source.pick(n, nil)
	now := db.now()
	var added []*message
	targets := map[*message]*queue{}
	err := db.write(func(tx *bolt.Tx) error {
		for _, m := range picked {
			arn := t.Target
			if arn == "" {
				arn = m.Source
			}
			target := db.byARN(arn)
			if target == nil {
				return fmt.Errorf("CouldNotDetermineMessageSource")
			}
			c, err := getContent(tx, m.seq)
			if err != nil {
				return err
			}
			seq, err := nextSeq(tx)
			if err != nil {
				return err
			}
			fresh := &message{seq: seq, state: state{Queue: target.Name, ID: newID(), Sent: now, Enqueued: now, Visible: now, Group: m.Group, Dedup: m.Dedup}}
			if err := deleteMessage(tx, m.seq); err != nil {
				return err
			}
			if err := putContent(tx, seq, c); err != nil {
				return err
			}
			if err := putState(tx, seq, fresh.state); err != nil {
				return err
			}
			added = append(added, fresh)
			targets[fresh] = target
		}
		progress := *t
		progress.Moved += int64(len(picked))
		return putJSON(tx, movesBucket, []byte(t.Handle), progress)
	})
	for _, m := range picked {
		source.place(m, now)
	}
	if err != nil {
		return 0, err
	}
	for _, m := range picked {
		source.remove(m)
	}
	for _, m := range added {
		targets[m].add(m, now)
	}
	t.Moved += int64(len(picked))
	return source.visible(), nil
}

func (db *DB) indexMoves(tx *bolt.Tx) error {
	return tx.Bucket(movesBucket).ForEach(func(key, value []byte) error {
		t := new(moveTask)
		if err := json.Unmarshal(value, t); err != nil {
			return fmt.Errorf("move task %s: %w", key, err)
		}
		if t.Status == "RUNNING" {
			db.moves[t.Source] = t
		}
		return nil
	})
}

type cancelMoveInput struct{ TaskHandle string }

type cancelMoveOutput struct {
	ApproximateNumberOfMessagesMoved int64
}

func (db *DB) cancelMove(_ context.Context, in *cancelMoveInput) (*cancelMoveOutput, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, errClosed
	}
	for _, t := range db.moves {
		if t.Handle == in.TaskHandle {
			t.Status = "CANCELLED"
			delete(db.moves, t.Source)
			return &cancelMoveOutput{t.Moved}, db.putMove(t)
		}
	}
	return nil, refuse("ResourceNotFoundException", "The task handle is not that of a running task.")
}

type listMovesInput struct {
	SourceARN  string `json:"SourceArn"`
	MaxResults *int
}

type listMovesOutput struct{ Results []moveResult }

type moveResult struct {
	TaskHandle                        string `json:",omitempty"`
	Status                            string
	SourceARN                         string `json:"SourceArn"`
	DestinationARN                    string `json:"DestinationArn,omitempty"`
	MaxNumberOfMessagesPerSecond      int    `json:",omitempty"`
	ApproximateNumberOfMessagesMoved  int64
	ApproximateNumberOfMessagesToMove int64
	FailureReason                     string `json:",omitempty"`
	StartedTimestamp                  int64
}

// listMoves gives a queue's last tasks, newest first; only a running one shows
// its handle.
func (db *DB) listMoves(_ context.Context, in *listMovesInput) (*listMovesOutput, error) {
	limit := 1
	if in.MaxResults != nil {
		limit = *in.MaxResults
	}
	if limit < 1 || limit > 10 {
		return nil, invalidParameter("MaxResults", limit, "Must be between 1 and 10.")
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, errClosed
	}
	if db.byARN(in.SourceARN) == nil {
		return nil, noSuchResource()
	}
	tasks := map[string]moveTask{}
	err := db.bolt.View(func(tx *bolt.Tx) error {
		return tx.Bucket(movesBucket).ForEach(func(key, value []byte) error {
			var t moveTask
			if err := json.Unmarshal(value, &t); err != nil {
				return err
			}
			if t.Source == in.SourceARN {
				tasks[t.Handle] = t
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sqs: reading move tasks: %w", err)
	}
	sorted := slices.SortedFunc(maps.Values(tasks), func(a, b moveTask) int { return int(b.Started - a.Started) })
	out := &listMovesOutput{Results: []moveResult{}}
	for _, t := range sorted[:min(limit, len(sorted))] {
		r := moveResult{Status: t.Status, SourceARN: t.Source, DestinationARN: t.Target, MaxNumberOfMessagesPerSecond: t.Rate,
			ApproximateNumberOfMessagesMoved: t.Moved, ApproximateNumberOfMessagesToMove: t.ToMove, FailureReason: t.Failure, StartedTimestamp: t.Started}
		if t.Status == "RUNNING" {
			r.TaskHandle = t.Handle
		}
		out.Results = append(out.Results, r)
	}
	return out, nil
}
