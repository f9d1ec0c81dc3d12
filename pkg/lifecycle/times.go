package lifecycle

import "time"

// Times that the state machine rests on.
const (
	// LeaseMargin is how long after its end a lease is left alone: clocks
	// differ, and a lease is worth more to its owner than to its successor.
	LeaseMargin = 5 * time.Second
	// Tolerance is how early a claim may be: waits are rounded to seconds.
	Tolerance = time.Second
	// LongestDelay is the longest that SQS holds back a message when it is sent.
	// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
	LongestDelay = 15 * time.Minute
	// LongestInvisible is the longest that SQS keeps a received message hidden.
	// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
	LongestInvisible = 12 * time.Hour

	// LongestWait bounds every wait that a handler asks for, as far ahead as a job
	// may be planned: a server's Retry-After of centuries is its mistake.
	LongestWait = 366 * 24 * time.Hour

	// QueueRetention is how long queues keep messages: SQS's longest.
	QueueRetention = 14 * 24 * time.Hour
	// DoneRetention is how long done and cancelled jobs are kept. It outlives
	// QueueRetention, so that a late duplicate still finds that it is one.
	DoneRetention = QueueRetention + 24*time.Hour
	// DeadRetention is how long dead jobs are kept. It outlives the letter,
	// which is written after the job died and is kept for QueueRetention.
	DeadRetention = 2 * QueueRetention
)
