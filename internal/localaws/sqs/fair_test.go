package sqs

import (
	"fmt"
	"strings"
	"testing"
)

// A tenant with a thousand messages waiting does not keep another's waiting; and when
// nobody else waits, it is served as before.
func TestANoisyTenantKeepsNobodyWaiting(t *testing.T) {
	s := open(t)
	url := s.queue("q", m{"VisibilityTimeout": "600"})
	for i := range 100 {
		entries := []any{}
		for k := range 10 {
			entries = append(entries, m{"Id": fmt.Sprint(k), "MessageBody": fmt.Sprintf("noisy %d", 10*i+k), "MessageGroupId": "noisy"})
		}
		s.do("SendMessageBatch", m{"QueueUrl": url, "Entries": entries})
	}
	if first := s.bodies(url, m{"MaxNumberOfMessages": 10}); !strings.HasPrefix(first, "noisy 0") {
		t.Fatalf("nobody else waits, and the oldest come first: %s", first)
	}
	s.send(url, "of ann", m{"MessageGroupId": "ann"})
	s.send(url, "of nobody")
	s.send(url, "of ben", m{"MessageGroupId": "ben"})
	equal(t, "the others come first, then the oldest", s.bodies(url, m{"MaxNumberOfMessages": 4}), "of annof nobodyof bennoisy 10")
	left := 0
	for {
		got := s.receive(url, m{"MaxNumberOfMessages": 10})
		if left += len(got); len(got) == 0 {
			break
		}
	}
	equal(t, "none of them is held back for ever", fmt.Sprint(left), "989")
	equal(t, "counts", s.counts(url), "0/1003/0")
}

// Order, counts and tenants survive a restart; purging forgets them.
func TestTenantsOfAQueueThatWasClosed(t *testing.T) {
	s := open(t)
	url := s.queue("q", nil)
	s.send(url, "a", m{"MessageGroupId": "ann"})
	s.send(url, "b", m{"MessageGroupId": "ben"})
	s.reopen()
	equal(t, "the oldest first", s.bodies(url), "a")
	s.do("PurgeQueue", m{"QueueUrl": url})
	equal(t, "purged", s.bodies(url), "")
	s.send(url, "c", m{"MessageGroupId": "ann"})
	equal(t, "sent after", s.bodies(url), "c")
}
