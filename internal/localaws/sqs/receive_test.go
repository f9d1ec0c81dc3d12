package sqs

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestVisibility(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q", m{"VisibilityTimeout": "10"})
		s.send(queue, "x")
		first := s.one(queue)
		equal(t, "in flight", s.counts(queue), "0/1/0")
		equal(t, "hidden", len(s.receive(queue)), 0)
		time.Sleep(10 * time.Second)
		equal(t, "visible again, before anyone receives", s.counts(queue), "1/0/0")
		s.refused("ChangeMessageVisibility", m{"QueueUrl": queue, "ReceiptHandle": first["ReceiptHandle"], "VisibilityTimeout": 5}, "AWS.SimpleQueueService.MessageNotInflight")
		second := s.one(queue)
		equal(t, "count", system(second, "ApproximateReceiveCount"), "2")
		equal(t, "first receive", system(second, "ApproximateFirstReceiveTimestamp"), system(first, "ApproximateFirstReceiveTimestamp"))
		if first["ReceiptHandle"] == second["ReceiptHandle"] {
			t.Error("the handle is the same after another receive")
		}
		s.refused("ChangeMessageVisibility", m{"QueueUrl": queue, "ReceiptHandle": first["ReceiptHandle"], "VisibilityTimeout": 5}, "InvalidParameterValue")
		s.do("DeleteMessage", m{"QueueUrl": queue, "ReceiptHandle": first["ReceiptHandle"]})
		equal(t, "an old handle deletes nothing", s.counts(queue), "0/1/0")
		time.Sleep(10 * time.Second)
		for range 2 { // the last handle deletes after its time too, and again is no error
			s.do("DeleteMessage", m{"QueueUrl": queue, "ReceiptHandle": second["ReceiptHandle"]})
			equal(t, "deleted", s.counts(queue), "0/0/0")
		}
	})
}

func TestVisibilityEndsTwelveHoursAfterTheReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q", nil)
		s.send(queue, "x")
		got := s.one(queue, m{"VisibilityTimeout": 43200})
		time.Sleep(time.Hour)
		in := m{"QueueUrl": queue, "ReceiptHandle": got["ReceiptHandle"], "VisibilityTimeout": 11*3600 + 1}
		s.refused("ChangeMessageVisibility", in, "InvalidParameterValue")
		in["VisibilityTimeout"] = 11 * 3600
		s.do("ChangeMessageVisibility", in)
		in["VisibilityTimeout"] = 43201
		s.refused("ChangeMessageVisibility", in, "InvalidParameterValue")
		delete(in, "VisibilityTimeout")
		s.refused("ChangeMessageVisibility", in, "MissingParameter")
	})
}

func TestReceiveWithoutVisibilityGivesAMessageOncePerAnswer(t *testing.T) {
	s := open(t)
	queue := s.queue("q", nil)
	s.send(queue, "x")
	for range 3 {
		equal(t, "bodies", s.bodies(queue, m{"VisibilityTimeout": 0, "MaxNumberOfMessages": 10}), "x")
	}
}

func TestReleasedMessagesDoNotStarveOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q", nil)
		s.send(queue, "bad")
		time.Sleep(time.Millisecond)
		s.send(queue, "good")
		time.Sleep(time.Millisecond)
		s.visibility(queue, s.one(queue), 0)
		equal(t, "next", s.bodies(queue), "good")
	})
}

func TestRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		queue := s.queue("q", m{"MessageRetentionPeriod": "60"})
		s.send(queue, "in flight")
		s.one(queue)
		s.send(queue, "waiting")
		s.send(queue, "delayed", m{"DelaySeconds": 900})
		time.Sleep(59 * time.Second)
		equal(t, "before", s.counts(queue), "2/0/1")
		time.Sleep(time.Second)
		equal(t, "after", s.counts(queue), "0/0/0")
		s.reopen()
		equal(t, "after a restart", s.counts(queue), "0/0/0")
	})
}

func TestReceiveParameters(t *testing.T) {
	s := open(t)
	queue := s.queue("q", nil)
	for name, values := range map[string][]any{
		"MaxNumberOfMessages": {0, 11, -1}, "VisibilityTimeout": {-1, 43201}, "WaitTimeSeconds": {-1, 21},
	} {
		for _, value := range values {
			s.refused("ReceiveMessage", m{"QueueUrl": queue, name: value}, "InvalidParameterValue")
		}
	}
	s.refused("ReceiveMessage", m{"QueueUrl": queue, "AttributeNames": []string{"Nonsense"}}, "InvalidAttributeName")
	s.refused("ReceiveMessage", m{"QueueUrl": "http://local/111111111111/q"}, "AWS.SimpleQueueService.NonExistentQueue")
	s.refused("ReceiveMessage", m{"QueueUrl": "q"}, "InvalidAddress")
	s.refused("ReceiveMessage", m{}, "MissingParameter")
	for _, handle := range []string{"garbage", "", handle{1, 1, 1}.String()} {
		s.refused("DeleteMessage", m{"QueueUrl": queue, "ReceiptHandle": handle}, "ReceiptHandleIsInvalid", "MissingParameter")
	}
}

func TestAttributesWanted(t *testing.T) {
	s := open(t)
	queue := s.queue("q", m{"VisibilityTimeout": "0"})
	text := func(v string) m { return m{"DataType": "String", "StringValue": v} }
	s.send(queue, "x", m{"MessageAttributes": m{"a": text("1"), "a.b": text("2"), "ab": text("3")},
		"MessageSystemAttributes": m{"AWSTraceHeader": text("Root=1")}})
	for _, c := range []struct {
		names []string
		want  int
	}{{nil, 0}, {[]string{"All"}, 3}, {[]string{".*"}, 3}, {[]string{"a.*"}, 2}, {[]string{"a"}, 1}, {[]string{"b", "ab"}, 1}} {
		got := s.do("ReceiveMessage", m{"QueueUrl": queue, "MessageAttributeNames": c.names})["Messages"].([]any)[0].(m)
		attributes, _ := got["MessageAttributes"].(m)
		equal(t, "attributes", len(attributes), c.want)
		if sum, given := got["MD5OfMessageAttributes"]; given != (c.want > 0) {
			t.Errorf("%v: digest %v", c.names, sum)
		}
		if _, given := got["Attributes"]; given {
			t.Error("system attributes that nobody asked for")
		}
	}
	equal(t, "trace", system(s.one(queue), "AWSTraceHeader"), "Root=1")
}
