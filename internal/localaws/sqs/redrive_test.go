package sqs

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func redrive(name string, count any) m {
	return m{"RedrivePolicy": fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:%s","maxReceiveCount":%v}`, name, count)}
}

// fail receives a message and gives it back.
func (s *service) fail(queue string) m {
	s.Helper()
	got := s.one(queue)
	s.visibility(queue, got, 0)
	return got
}

func TestRedrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		last := s.queue("last", nil)
		dead := s.queue("dead", redrive("last", 1))
		queue := s.queue("q", redrive("dead", `"2"`))
		sent := s.send(queue, "x")
		at := system(s.fail(queue), "SentTimestamp")
		time.Sleep(time.Second)
		s.fail(queue)
		equal(t, "not moved before a third receive", s.counts(queue)+" "+s.counts(dead), "1/0/0 0/0/0")
		equal(t, "third receive", s.bodies(queue), "")
		letter := s.fail(dead)
		equal(t, "id", letter["MessageId"].(string), sent["MessageId"].(string))
		equal(t, "sent", system(letter, "SentTimestamp"), at)
		equal(t, "source", system(letter, "DeadLetterQueueSourceArn"), s.attribute(queue, "QueueArn"))
		equal(t, "receives over all queues", system(letter, "ApproximateReceiveCount"), "3")
		s.reopen()
		equal(t, "second receive of the dead-letter queue", s.bodies(dead), "")
		equal(t, "the dead-letter queue's own target", s.counts(last), "1/0/0")
	})
}

func TestRedriveWakesAPollOfTheDeadLetterQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		dead := s.queue("dead", nil)
		queue := s.queue("q", redrive("dead", 1))
		s.send(queue, "x")
		s.fail(queue)
		after(3*time.Second, func() { s.receive(queue) })
		start := time.Now()
		equal(t, "letter", s.bodies(dead, m{"WaitTimeSeconds": 20}), "x")
		equal(t, "waited", time.Since(start), 3*time.Second)
	})
}

func TestRedriveOfFIFOKeepsGroupAndOrder(t *testing.T) {
	s := open(t)
	dead := s.queue("dead.fifo", m{"FifoQueue": "true"})
	policy := redrive("dead.fifo", 1)
	policy["FifoQueue"] = "true"
	queue := s.queue("q.fifo", policy)
	for _, body := range []string{"1", "2", "3"} {
		s.send(queue, body, in("g", body))
	}
	for _, got := range s.receive(queue, m{"MaxNumberOfMessages": 2}) {
		s.visibility(queue, got, 0)
	}
	equal(t, "the third was never received", s.bodies(queue, ten), "3")
	got := s.receive(dead, ten)
	equal(t, "letters", len(got), 2)
	equal(t, "order", got[0]["Body"].(string)+got[1]["Body"].(string), "12")
	equal(t, "group", system(got[0], "MessageGroupId"), "g")
}

func TestRetentionInTheDeadLetterQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		dead := s.queue("dead", m{"MessageRetentionPeriod": "100"})
		queue := s.queue("q", redrive("dead", 1))
		s.send(queue, "x")
		s.fail(queue)
		time.Sleep(60 * time.Second)
		s.receive(queue)
		time.Sleep(39 * time.Second)
		equal(t, "counted from the sending", s.counts(dead), "1/0/0")
		time.Sleep(time.Second)
		equal(t, "over", s.counts(dead), "0/0/0")
	})
}

func TestRedrivePolicies(t *testing.T) {
	s := open(t)
	s.queue("dead", nil)
	s.queue("dead.fifo", m{"FifoQueue": "true"})
	s.queue("closed", m{"RedriveAllowPolicy": `{"redrivePermission":"denyAll"}`})
	picky := s.queue("picky", m{"RedriveAllowPolicy": `{"redrivePermission":"byQueue","sourceQueueArns":["arn:aws:sqs:us-east-1:000000000000:q"]}`})
	for name, policy := range map[string]m{
		"no such queue": redrive("missing", 1), "count 0": redrive("dead", 0), "count 1001": redrive("dead", 1001),
		"other kind": redrive("dead.fifo", 1), "denied": redrive("closed", 1), "not listed": redrive("picky", 1),
		"no JSON": {"RedrivePolicy": "x"}, "no count": {"RedrivePolicy": `{"deadLetterTargetArn":"a"}`},
		"bad permission": {"RedriveAllowPolicy": `{"redrivePermission":"maybe"}`},
		"no sources":     {"RedriveAllowPolicy": `{"redrivePermission":"byQueue"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s.refused("CreateQueue", m{"QueueName": "other", "Attributes": policy}, "InvalidParameterValue")
		})
	}
	queue := s.queue("q", redrive("picky", 3))
	sources := s.do("ListDeadLetterSourceQueues", m{"QueueUrl": picky})["queueUrls"].([]any)
	equal(t, "sources", fmt.Sprint(sources), fmt.Sprint([]any{queue}))
	s.do("SetQueueAttributes", m{"QueueUrl": queue, "Attributes": m{"RedrivePolicy": ""}})
	equal(t, "sources", len(s.do("ListDeadLetterSourceQueues", m{"QueueUrl": picky})["queueUrls"].([]any)), 0)
}
