package topic

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Message makes the message of an event that was created at a time: what each
// subscriber's queue is given. Group and Dedup are left to whoever publishes it.
func Message(n store.NewEvent, created time.Time) (Outgoing, error) {
	body, err := queue.Message{Trace: n.Trace, Event: &queue.Event{
		ID: n.ID, Name: n.Name, Key: n.Key, Version: n.Version, At: created, Data: n.Data,
	}}.Encode()
	return Outgoing{Body: body, Name: n.Name}, err
}
