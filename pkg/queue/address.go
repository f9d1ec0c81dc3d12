package queue

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// An Address is where what belongs to a queue is sent.
type Address struct {
	// URL is the queue's: its jobs go there.
	URL string
	// Letters is the URL of its dead-letter queue.
	Letters string
	// Fair tells that messages carry their job's client as message group, by
	// which SQS shares a standard queue's consumers out: see job.Queue.Fair.
	Fair bool
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

// Fitting gives the text itself where SQS takes it as a group or a deduplication
// id (1 to 128 letters, digits and punctuation), and else its hash.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fifo-queue-message-identifiers.html
func Fitting(text string) string {
	fits := len(text) >= 1 && len(text) <= 128
	for i := range len(text) {
		fits = fits && text[i] > ' ' && text[i] < 0x7f
	}
	if fits {
		return text
	}
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}
