package work

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// An Errand is what the front function is asked to do. Its parts are done in order,
// and each as often as it is asked for.
type Errand struct {
	Enqueue []Request `json:"enqueue,omitempty"`
	Cancel  []job.ID  `json:"cancel,omitempty"`
	Move    []Move    `json:"move,omitempty"`
}

// A Request asks for one job. The id makes that a request which is repeated finds
// the job that it had made.
type Request struct {
	ID        job.ID        `json:"id"`
	Task      string        `json:"task"`
	Arguments Arguments     `json:"arguments"`
	Group     string        `json:"group,omitempty"`
	In        time.Duration `json:"in,omitempty"`
}

// A Move gives a scheduled job another time.
type Move struct {
	ID job.ID    `json:"id"`
	To time.Time `json:"to"`
}

// An Answer says how far the front function came: what it does not mention is to be
// asked for again.
type Answer struct {
	// Accepted counts the jobs that exist, from the first request on.
	Accepted int `json:"accepted"`
	// Cancelled and Moved answer the other parts, from the first on. Cancelled
	// has the state that the cancellation found or made.
	Cancelled []string `json:"cancelled,omitempty"`
	Moved     int      `json:"moved"`
	// Error is why it stopped.
	Error string `json:"error,omitempty"`
}
