package sqs

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// letters makes a queue whose n messages have all gone to its dead-letter queue.
func letters(s *service, n int) (queue, dead, arn string) {
	s.Helper()
	dead = s.queue("dead", nil)
	queue = s.queue("q", redrive("dead", 1))
	for i := range n {
		s.send(queue, fmt.Sprint(i%10))
	}
	for range n {
		s.fail(queue)
	}
	s.receive(queue, ten)
	equal(s, "letters", s.counts(dead), fmt.Sprintf("%d/0/0", n))
	return queue, dead, s.attribute(dead, "QueueArn")
}

func (s *service) tasks(arn string) []any {
	s.Helper()
	return s.do("ListMessageMoveTasks", m{"SourceArn": arn, "MaxResults": 10})["Results"].([]any)
}

func TestMoveBackToTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue, dead, arn := letters(s, 1)
		old := s.fail(dead)
		s.do("StartMessageMoveTask", m{"SourceArn": arn})
		got := s.one(queue)
		equal(t, "count begins again", system(got, "ApproximateReceiveCount"), "1")
		if got["MessageId"] == old["MessageId"] {
			t.Error("a moved message counts as a new one, but has its old id")
		}
		equal(t, "counts", s.counts(queue)+" "+s.counts(dead), "0/1/0 0/0/0")
		task := s.tasks(arn)[0].(m)
		equal(t, "status", task["Status"].(string), "COMPLETED")
		equal(t, "moved", task["ApproximateNumberOfMessagesMoved"].(float64), 1)
	})
}

// Two queues share a dead-letter queue: each message goes back to its own, with
// every attribute as it was.
func TestMoveKeepsAttributesAndSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		dead := s.queue("dead", nil)
		attributes := m{
			"text": m{"DataType": "String", "StringValue": "é"}, "number": m{"DataType": "Number.int", "StringValue": "-1.50"},
			"bytes": m{"DataType": "Binary.png", "BinaryValue": []byte{0x00, 0xff}},
		}
		trace := m{"AWSTraceHeader": m{"DataType": "String", "StringValue": "Root=1-5759e988-bd862e3fe1be46a994272793"}}
		var queues []string
		for _, name := range []string{"one", "two"} {
			q := s.queue(name, redrive("dead", 1))
			s.send(q, name, m{"MessageAttributes": attributes, "MessageSystemAttributes": trace})
			s.fail(q)
			s.receive(q)
			queues = append(queues, q)
		}
		equal(t, "letters", s.counts(dead), "2/0/0")
		s.do("StartMessageMoveTask", m{"SourceArn": s.attribute(dead, "QueueArn")})
		time.Sleep(10 * moveTick)
		for i, body := range []string{"one", "two"} {
			got := s.one(queues[i])
			equal(t, "body", got["Body"].(string), body)
			equal(t, "trace", system(got, "AWSTraceHeader"), "Root=1-5759e988-bd862e3fe1be46a994272793")
			equal(t, "attributes", fmt.Sprint(got["MessageAttributes"]), "map[bytes:map[BinaryValue:AP8= DataType:Binary.png] "+
				"number:map[DataType:Number.int StringValue:-1.50] text:map[DataType:String StringValue:é]]")
		}
	})
}

func TestMoveOfFIFOIsNoDuplicate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		dead := s.queue("dead.fifo", m{"FifoQueue": "true"})
		attributes := redrive("dead.fifo", 1)
		attributes["FifoQueue"] = "true"
		q := s.queue("q.fifo", attributes)
		s.send(q, "x", m{"MessageGroupId": "g", "MessageDeduplicationId": "d"})
		s.fail(q)
		s.receive(q)
		time.Sleep(time.Minute)
		s.do("StartMessageMoveTask", m{"SourceArn": s.attribute(dead, "QueueArn")})
		time.Sleep(10 * moveTick)
		got := s.one(q)
		equal(t, "group", system(got, "MessageGroupId")+" "+system(got, "ApproximateReceiveCount"), "g 1")
		equal(t, "counts", s.counts(q)+" "+s.counts(dead), "0/1/0 0/0/0")
	})
}

func TestMoveAtARateToAnotherQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		_, dead, arn := letters(s, 10)
		other := s.queue("other", nil)
		start := m{"SourceArn": arn, "DestinationArn": s.attribute(other, "QueueArn"), "MaxNumberOfMessagesPerSecond": 1}
		handle := s.do("StartMessageMoveTask", start)["TaskHandle"]
		s.refused("StartMessageMoveTask", start, "InvalidParameterValue")
		time.Sleep(3500 * time.Millisecond)
		equal(t, "after 3.5 s", s.counts(other)+" "+s.counts(dead), "4/0/0 6/0/0")
		s.reopen()
		time.Sleep(2 * time.Second)
		equal(t, "it goes on after a restart", s.counts(other)+" "+s.counts(dead), "6/0/0 4/0/0")
		equal(t, "status", s.tasks(arn)[0].(m)["Status"].(string), "RUNNING")
		moved := s.do("CancelMessageMoveTask", m{"TaskHandle": handle})["ApproximateNumberOfMessagesMoved"].(float64)
		equal(t, "moved", moved, 6)
		time.Sleep(5 * time.Second)
		equal(t, "it stands still once cancelled", s.counts(other)+" "+s.counts(dead), "6/0/0 4/0/0")
		equal(t, "status", s.tasks(arn)[0].(m)["Status"].(string), "CANCELLED")
		s.refused("CancelMessageMoveTask", m{"TaskHandle": handle}, "ResourceNotFoundException")
	})
}

func TestMoveOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue, dead, arn := letters(s, 2*moveChunk+1)
		s.do("StartMessageMoveTask", m{"SourceArn": arn})
		time.Sleep(10 * moveTick)
		equal(t, "counts", s.counts(queue)+" "+s.counts(dead), fmt.Sprintf("%d/0/0 0/0/0", 2*moveChunk+1))
	})
}

func TestMoveRefused(t *testing.T) {
	s := open(t)
	queue := s.queue("q", nil)
	s.refused("StartMessageMoveTask", m{"SourceArn": s.attribute(queue, "QueueArn")}, "InvalidParameterValue")
	s.refused("StartMessageMoveTask", m{"SourceArn": "arn:aws:sqs:us-east-1:000000000000:nope"}, "ResourceNotFoundException")
	s.refused("StartMessageMoveTask", m{}, "MissingParameter")

	dead := s.queue("dead", nil)
	arn := s.attribute(dead, "QueueArn")
	s.queue("source", redrive("dead", 1))
	s.refused("StartMessageMoveTask", m{"SourceArn": arn, "MaxNumberOfMessagesPerSecond": 501}, "InvalidParameterValue")
	s.refused("StartMessageMoveTask", m{"SourceArn": arn, "DestinationArn": arn}, "InvalidParameterValue")
	s.send(dead, "sent here by hand, so it has no source")
	s.do("StartMessageMoveTask", m{"SourceArn": arn})
	task := s.tasks(arn)[0].(m)
	equal(t, "status", task["Status"].(string), "FAILED")
	equal(t, "it stays", s.counts(dead), "1/0/0")
}
