package sqs

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func in(group, dedup string) m {
	return m{"MessageGroupId": group, "MessageDeduplicationId": dedup}
}

var ten = m{"MaxNumberOfMessages": 10}

func TestGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q.fifo", m{"FifoQueue": "true"})
		for i := range 4 {
			s.send(queue, fmt.Sprint("a", i), in("a", fmt.Sprint("a", i)))
		}
		s.send(queue, "b0", in("b", "b0"))
		first := s.receive(queue, m{"MaxNumberOfMessages": 2})
		equal(t, "first", first[0]["Body"].(string)+first[1]["Body"].(string), "a0a1")
		equal(t, "the other group flows", s.bodies(queue, ten), "b0")
		equal(t, "both are blocked", s.bodies(queue, ten), "")
		equal(t, "counts", s.counts(queue), "2/3/0")
		s.do("DeleteMessage", m{"QueueUrl": queue, "ReceiptHandle": first[0]["ReceiptHandle"]})
		equal(t, "blocked while one is in flight", s.bodies(queue, ten), "")
		s.visibility(queue, first[1], 0)
		equal(t, "in order from the one released", s.bodies(queue, ten), "a1a2a3")
		time.Sleep(30 * time.Second)
		equal(t, "in order after the timeouts", s.bodies(queue, ten), "a1a2a3b0")
		if system(first[0], "SequenceNumber") >= system(first[1], "SequenceNumber") {
			t.Error("sequence numbers do not rise")
		}
		time.Sleep(30 * time.Second)
		s.reopen()
		equal(t, "in order after a restart", s.bodies(queue, ten), "a1a2a3b0")
		s.refused("DeleteMessage", m{"QueueUrl": queue, "ReceiptHandle": first[1]["ReceiptHandle"]}, "InvalidParameterValue")
	})
}

func TestDeduplication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q.fifo", m{"FifoQueue": "true"})
		first := s.send(queue, "x", in("g", "d"))
		again := s.send(queue, "y", in("other", "d"))
		equal(t, "id", again["MessageId"].(string), first["MessageId"].(string))
		equal(t, "sequence number", again["SequenceNumber"].(string), first["SequenceNumber"].(string))
		s.do("DeleteMessage", m{"QueueUrl": queue, "ReceiptHandle": s.one(queue)["ReceiptHandle"]})
		time.Sleep(5*time.Minute - time.Second)
		s.reopen()
		s.send(queue, "y", in("g", "d"))
		equal(t, "within five minutes, deleted and restarted", s.counts(queue), "0/0/0")
		time.Sleep(time.Second)
		s.send(queue, "y", in("g", "d"))
		equal(t, "after five minutes", s.bodies(queue), "y")

		out := s.do("SendMessageBatch", m{"QueueUrl": queue, "Entries": []m{
			{"Id": "1", "MessageBody": "z", "MessageGroupId": "h", "MessageDeduplicationId": "e"},
			{"Id": "2", "MessageBody": "z", "MessageGroupId": "h", "MessageDeduplicationId": "e"}}})
		equal(t, "both are successes", len(out["Successful"].([]any)), 2)
		equal(t, "one message", s.bodies(queue, ten), "z")
	})
}

func TestDeduplicationByContentAndScope(t *testing.T) {
	s := open(t)
	content := s.queue("content.fifo", m{"FifoQueue": "true", "ContentBasedDeduplication": "true"})
	for _, body := range []string{"x", "x", "y"} {
		s.send(content, body, m{"MessageGroupId": "g"})
	}
	s.send(content, "x", in("g", "of-its-own"))
	equal(t, "bodies", s.bodies(content, ten), "xyx")
	groups := s.queue("groups.fifo", m{"FifoQueue": "true", "DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"})
	for _, group := range []string{"a", "b", "a"} {
		s.send(groups, group, in(group, "d"))
	}
	equal(t, "bodies", s.bodies(groups, ten), "ab")
}

func TestTokens(t *testing.T) {
	s := open(t)
	fifo := s.queue("q.fifo", m{"FifoQueue": "true"})
	standard := s.queue("q", nil)
	send := func(queue string, more m) m {
		more["QueueUrl"], more["MessageBody"] = queue, "x"
		return more
	}
	s.refused("SendMessage", send(fifo, m{"MessageDeduplicationId": "d"}), "MissingParameter")
	s.refused("SendMessage", send(fifo, m{"MessageGroupId": "g"}), "InvalidParameterValue")
	s.refused("SendMessage", send(fifo, m{"MessageGroupId": "a b", "MessageDeduplicationId": "d"}), "InvalidParameterValue")
	s.refused("SendMessage", send(fifo, m{"MessageGroupId": "g", "MessageDeduplicationId": "d", "DelaySeconds": 1}), "InvalidParameterValue")
	s.refused("SendMessage", send(standard, m{"MessageDeduplicationId": "d"}), "InvalidParameterValue")
	s.send(standard, "x", m{"MessageGroupId": "tenant"})
	s.send(standard, "y", m{"MessageGroupId": "tenant"})
	got := s.one(standard)
	equal(t, "group", system(got, "MessageGroupId"), "tenant")
	equal(t, "a standard queue's group does not block", s.bodies(standard), "y")
}

func TestReceiveAttemptIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q.fifo", m{"FifoQueue": "true"})
		s.send(queue, "x", in("g", "d"))
		attempt := m{"ReceiveRequestAttemptId": "r"}
		first := s.one(queue, attempt)
		time.Sleep(20 * time.Second)
		second := s.one(queue, attempt)
		equal(t, "handle", second["ReceiptHandle"].(string), first["ReceiptHandle"].(string))
		time.Sleep(20 * time.Second)
		equal(t, "hidden anew", s.counts(queue), "0/1/0")
		s.do("DeleteMessage", m{"QueueUrl": queue, "ReceiptHandle": second["ReceiptHandle"]})
		equal(t, "after the deletion", len(s.receive(queue, attempt)), 0)
	})
}

func TestNewDelayOfFIFOIsForWaitingMessagesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		fifo := s.queue("q.fifo", m{"FifoQueue": "true", "DelaySeconds": "100"})
		standard := s.queue("q", m{"DelaySeconds": "100"})
		s.send(fifo, "x", in("g", "d"))
		s.send(standard, "x")
		for _, queue := range []string{fifo, standard} {
			s.do("SetQueueAttributes", m{"QueueUrl": queue, "Attributes": m{"DelaySeconds": "10"}})
		}
		time.Sleep(10 * time.Second)
		equal(t, "FIFO", s.counts(fifo), "1/0/0")
		equal(t, "standard", s.counts(standard), "0/0/1")
	})
}
