package sqs

// A message is one entry of a queue's index. Its body and attributes stay in
// the store until it is received.
type message struct {
	state
	seq   uint64 // order of arrival over all queues, and the key in the store
	heap  *heapOf[*message]
	index int // in heap
	age   int // in the queue's heap of ages
}

// state is what the store keeps of a message beside its content, rewritten at
// each change. Times are milliseconds since 1970.
type state struct {
	Queue    string `json:"queue"`
	ID       string `json:"id"`
	Sent     int64  `json:"sent"`
	Enqueued int64  `json:"enqueued"` // start of the retention period
	First    int64  `json:"first,omitempty"`
	Received int64  `json:"received,omitempty"`
	Visible  int64  `json:"visible"`
	Count    int    `json:"count,omitempty"` // receives over all queues
	Here     int    `json:"here,omitempty"`  // receives from this queue
	InFlight bool   `json:"in_flight,omitempty"`
	Nonce    uint64 `json:"nonce,omitempty"` // of the last receipt handle
	Group    string `json:"group,omitempty"`
	Dedup    string `json:"dedup,omitempty"`
	Source   string `json:"source,omitempty"` // ARN of the queue it was moved from
}

// content is what a producer sent; it never changes.
type content struct {
	Body       string               `json:"body"`
	Attributes map[string]attribute `json:"attributes,omitempty"`
	Trace      string               `json:"trace,omitempty"` // AWSTraceHeader
}

// A group is a FIFO queue's message group. Its messages are delivered in order,
// and none while another of the group is in flight.
type group struct {
	name     string
	messages []*message // by seq
	inFlight int
	index    int // in the queue's heap of open groups, -1 outside
}
