package scheduler

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An event is what one attempt hands over.
type event struct {
	payload   []byte
	execution string // the attempt's id
}

// event gives the input with its context attributes filled in, or the default
// event.
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
func (s *Schedule) event(at time.Time, attempt int) (event, error) {
	var id [16]byte
	_, _ = rand.Read(id[:]) // crypto/rand.Read never fails
	e := event{execution: hex.EncodeToString(id[:8])}
	if s.config.Input == "" {
		id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // RFC 9562, version 4
		uuid := fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:])
		source, detail := "aws.scheduler", any("{}")
		if s.config.Rule {
			source, detail = "aws.events", map[string]any{}
		}
		payload, err := json.Marshal(map[string]any{
			"version": "0", "id": uuid, "detail-type": "Scheduled Event", "source": source,
			"account": s.config.AccountID, "time": stamp(at), "region": s.config.Region,
			"resources": []string{s.config.ARN}, "detail": detail,
		})
		if err != nil {
			return event{}, fmt.Errorf("encoding the event: %w", err)
		}
		e.payload = payload
		return e, nil
	}
	if s.config.Rule {
		e.payload = []byte(s.config.Input)
		return e, nil
	}
	e.payload = []byte(strings.NewReplacer(
		"<aws.scheduler.schedule-arn>", s.config.ARN,
		"<aws.scheduler.scheduled-time>", stamp(at),
		"<aws.scheduler.execution-id>", e.execution,
		"<aws.scheduler.attempt-number>", strconv.Itoa(attempt),
	).Replace(s.config.Input))
	return e, nil
}

// stamp is a time as an event tells it.
func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
