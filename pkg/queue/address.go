package queue

import "strings"

// An Address is where what belongs to a queue is sent.
type Address struct {
	// URL is the queue's: its jobs go there.
	URL string
	// Letters is the URL of its dead-letter queue.
	Letters string
}

// FIFO tells whether the queue is a first-in-first-out queue: SQS demands the
// suffix.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fifo-queue-message-identifiers.html
func (a Address) FIFO() bool { return strings.HasSuffix(a.URL, ".fifo") }

// Name is the queue's name at SQS, as its ARN ends in it.
func (a Address) Name() string { return a.URL[strings.LastIndexByte(a.URL, '/')+1:] }

// Beside gives the URL of another queue of the same account and region, by its
// name at SQS.
func (a Address) Beside(name string) string {
	return a.URL[:strings.LastIndexByte(a.URL, '/')+1] + name
}
