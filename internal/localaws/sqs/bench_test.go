package sqs

import (
	"fmt"
	"testing"
)

func BenchmarkSend(b *testing.B) {
	s := open(b)
	queue := s.queue("q", nil)
	for b.Loop() {
		s.send(queue, "hello")
	}
}

func BenchmarkSendReceiveDelete(b *testing.B) {
	s := open(b)
	queue := s.queue("q", nil)
	var entries []m
	for i := range 10 {
		entries = append(entries, m{"Id": fmt.Sprint(i), "MessageBody": "hello"})
	}
	for b.Loop() {
		s.do("SendMessageBatch", m{"QueueUrl": queue, "Entries": entries})
		var deletes []m
		for i, got := range s.receive(queue, m{"MaxNumberOfMessages": 10}) {
			deletes = append(deletes, m{"Id": fmt.Sprint(i), "ReceiptHandle": got["ReceiptHandle"]})
		}
		s.do("DeleteMessageBatch", m{"QueueUrl": queue, "Entries": deletes})
	}
	b.ReportMetric(float64(b.N*10)/b.Elapsed().Seconds(), "messages/s")
}

func BenchmarkReceiveFromADeepQueue(b *testing.B) {
	s := open(b)
	queue := s.queue("q", nil)
	for range 20_000 {
		s.send(queue, "hello")
	}
	for b.Loop() {
		got := s.one(queue)
		s.visibility(queue, got, 0)
	}
}
