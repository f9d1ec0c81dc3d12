package sqs

import (
	"fmt"
	"strings"
	"testing"
)

func TestCreateQueue(t *testing.T) {
	s := open(t)
	url := s.queue("q", m{"VisibilityTimeout": "5"})
	equal(t, "url", url, "http://local/000000000000/q")
	equal(t, "the same again", s.queue("q", m{"VisibilityTimeout": "5", "DelaySeconds": "0"}), url)
	s.refused("CreateQueue", m{"QueueName": "q", "Attributes": m{"VisibilityTimeout": "6"}}, "QueueAlreadyExists")
	for _, name := range []string{"", "a b", strings.Repeat("x", 81), "q.fifo", "x.y"} {
		s.refused("CreateQueue", m{"QueueName": name}, "InvalidParameterValue", "MissingParameter")
	}
	s.refused("CreateQueue", m{"QueueName": "f", "Attributes": m{"FifoQueue": "true"}}, "InvalidParameterValue")
	s.refused("GetQueueUrl", m{"QueueName": "nope"}, "AWS.SimpleQueueService.NonExistentQueue")
	s.refused("GetQueueUrl", m{"QueueName": "q", "QueueOwnerAWSAccountId": "111111111111"}, "AWS.SimpleQueueService.NonExistentQueue")
}

func TestAttributeRanges(t *testing.T) {
	s := open(t)
	queue := s.queue("q", nil)
	for name, values := range map[string][]string{
		"VisibilityTimeout": {"-1", "43201", "x", "1.5"}, "DelaySeconds": {"901"}, "MessageRetentionPeriod": {"59", "1209601"},
		"ReceiveMessageWaitTimeSeconds": {"21"}, "MaximumMessageSize": {"1023", "1048577"}, "SqsManagedSseEnabled": {"yes"},
		"Policy": {"{"},
	} {
		for _, value := range values {
			s.refused("SetQueueAttributes", m{"QueueUrl": queue, "Attributes": m{name: value}}, "InvalidAttributeValue")
		}
	}
	s.refused("SetQueueAttributes", m{"QueueUrl": queue, "Attributes": m{"Nonsense": "1"}}, "InvalidAttributeName")
	s.refused("SetQueueAttributes", m{"QueueUrl": queue, "Attributes": m{"ContentBasedDeduplication": "true"}}, "InvalidAttributeName")
	s.refused("SetQueueAttributes", m{"QueueUrl": queue, "Attributes": m{"FifoQueue": "true"}}, "InvalidAttributeValue")
	s.refused("SetQueueAttributes", m{"QueueUrl": queue}, "MissingParameter")
	s.refused("GetQueueAttributes", m{"QueueUrl": queue, "AttributeNames": []string{"Nonsense"}}, "InvalidAttributeName")

	s.do("SetQueueAttributes", m{"QueueUrl": queue, "Attributes": m{"VisibilityTimeout": "77"}})
	s.reopen()
	equal(t, "kept", s.attribute(queue, "VisibilityTimeout"), "77")
	equal(t, "default", s.attribute(queue, "MaximumMessageSize"), "1048576")
	got := s.do("GetQueueAttributes", m{"QueueUrl": queue, "AttributeNames": []string{"QueueArn", "DelaySeconds"}})["Attributes"].(m)
	equal(t, "as asked", fmt.Sprint(got), "map[DelaySeconds:0 QueueArn:arn:aws:sqs:us-east-1:000000000000:q]")
}

func TestListQueues(t *testing.T) {
	s := open(t)
	for i := range 5 {
		s.queue(fmt.Sprint("list-", i), nil)
	}
	s.queue("other", nil)
	equal(t, "all", len(s.do("ListQueues", m{})["QueueUrls"].([]any)), 6)
	var names []string
	in := m{"QueueNamePrefix": "list-", "MaxResults": 2}
	for page := 0; page < 3; page++ {
		out := s.do("ListQueues", in)
		for _, url := range out["QueueUrls"].([]any) {
			names = append(names, url.(string)[len(url.(string))-1:])
		}
		token, more := out["NextToken"]
		equal(t, "more to come", more, page < 2)
		in["NextToken"] = token
	}
	equal(t, "names", strings.Join(names, ""), "01234")
	s.refused("ListQueues", m{"MaxResults": 0}, "InvalidParameterValue")
	s.refused("ListQueues", m{"NextToken": "!"}, "InvalidParameterValue")
}

func TestDeleteAndPurge(t *testing.T) {
	s := open(t)
	queue := s.queue("q", nil)
	for range 3 {
		s.send(queue, "x")
	}
	s.send(queue, "x", m{"DelaySeconds": 9})
	handle := s.one(queue)["ReceiptHandle"]
	s.do("PurgeQueue", m{"QueueUrl": queue})
	equal(t, "purged", s.counts(queue), "0/0/0")
	s.do("DeleteMessage", m{"QueueUrl": queue, "ReceiptHandle": handle})
	s.send(queue, "x")
	s.do("DeleteQueue", m{"QueueUrl": queue})
	s.refused("SendMessage", m{"QueueUrl": queue, "MessageBody": "x"}, "AWS.SimpleQueueService.NonExistentQueue")
	s.reopen()
	s.queue("q", nil)
	equal(t, "made again, empty", s.counts(queue), "0/0/0")
}

func TestTags(t *testing.T) {
	s := open(t)
	queue := s.queue("q", nil)
	s.do("TagQueue", m{"QueueUrl": queue, "Tags": m{"a": "1", "b": "2"}})
	s.do("UntagQueue", m{"QueueUrl": queue, "TagKeys": []string{"a"}})
	s.reopen()
	equal(t, "tags", fmt.Sprint(s.do("ListQueueTags", m{"QueueUrl": queue})["Tags"]), "map[b:2]")
	many := m{}
	for i := range 50 {
		many[fmt.Sprint(i)] = "x"
	}
	s.refused("TagQueue", m{"QueueUrl": queue, "Tags": many}, "InvalidParameterValue")
}
