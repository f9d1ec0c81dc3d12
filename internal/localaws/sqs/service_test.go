package sqs

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

type m = map[string]any

// service calls operations by name, as the wire does.
type service struct {
	testing.TB
	db   *DB
	path string
}

func open(t testing.TB) *service {
	t.Helper()
	s := &service{TB: t, path: filepath.Join(t.TempDir(), "sqs.db")}
	s.reopen()
	t.Cleanup(func() { _ = s.db.Close() })
	return s
}

func (s *service) reopen() {
	s.Helper()
	if s.db != nil {
		if err := s.db.Close(); err != nil {
			s.Fatal(err)
		}
	}
	db, err := Open(Config{Path: s.path, BaseURL: func() string { return "http://local" }})
	if err != nil {
		s.Fatal(err)
	}
	s.db = db
}

// try calls an operation; the answer is a map, as JSON has it.
func (s *service) try(operation string, in m) (m, error) {
	s.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		s.Fatal(err)
	}
	f := s.db.Service().Operations[operation]
	if f == nil {
		s.Fatalf("no operation %s", operation)
	}
	answer, err := f(context.Background(), body)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		s.Fatal(err)
	}
	var out m
	if err := json.Unmarshal(encoded, &out); err != nil {
		s.Fatal(err)
	}
	return out, nil
}

func (s *service) do(operation string, in m) m {
	s.Helper()
	out, err := s.try(operation, in)
	if err != nil {
		s.Fatalf("%s: %v", operation, err)
	}
	return out
}

// refused demands an error with one of these codes, as the SDKs show it.
func (s *service) refused(operation string, in m, codes ...string) {
	s.Helper()
	_, err := s.try(operation, in)
	var e *awsjson.Error
	if !errors.As(err, &e) {
		s.Errorf("%s %v: got %v, want %v", operation, in, err, codes)
		return
	}
	for _, code := range codes {
		if e.QueryCode == code {
			return
		}
	}
	s.Errorf("%s: got %s (%s), want %v", operation, e.QueryCode, e.Message, codes)
}

func (s *service) queue(name string, attributes m) string {
	s.Helper()
	return s.do("CreateQueue", m{"QueueName": name, "Attributes": attributes})["QueueUrl"].(string)
}

func (s *service) send(queue, body string, more ...m) m {
	s.Helper()
	in := m{"QueueUrl": queue, "MessageBody": body}
	for _, extra := range more {
		for k, v := range extra {
			in[k] = v
		}
	}
	return s.do("SendMessage", in)
}

// receive gives messages with all their attributes.
func (s *service) receive(queue string, more ...m) []m {
	s.Helper()
	in := m{"QueueUrl": queue, "MessageSystemAttributeNames": []string{"All"}, "MessageAttributeNames": []string{"All"}}
	for _, extra := range more {
		for k, v := range extra {
			in[k] = v
		}
	}
	var got []m
	list, _ := s.do("ReceiveMessage", in)["Messages"].([]any)
	for _, one := range list {
		got = append(got, one.(m))
	}
	return got
}

// bodies receives and gives the bodies, joined.
func (s *service) bodies(queue string, more ...m) string {
	s.Helper()
	text := ""
	for _, one := range s.receive(queue, more...) {
		text += one["Body"].(string)
	}
	return text
}

func (s *service) one(queue string, more ...m) m {
	s.Helper()
	got := s.receive(queue, more...)
	if len(got) != 1 {
		s.Fatalf("received %d messages, want 1", len(got))
	}
	return got[0]
}

func (s *service) attribute(queue, name string) string {
	s.Helper()
	value, _ := s.do("GetQueueAttributes", m{"QueueUrl": queue, "AttributeNames": []string{"All"}})["Attributes"].(m)[name].(string)
	return value
}

// counts gives visible/in flight/delayed.
func (s *service) counts(queue string) string {
	s.Helper()
	return s.attribute(queue, "ApproximateNumberOfMessages") + "/" + s.attribute(queue, "ApproximateNumberOfMessagesNotVisible") + "/" + s.attribute(queue, "ApproximateNumberOfMessagesDelayed")
}

func (s *service) visibility(queue string, message m, seconds int) {
	s.Helper()
	s.do("ChangeMessageVisibility", m{"QueueUrl": queue, "ReceiptHandle": message["ReceiptHandle"], "VisibilityTimeout": seconds})
}

func system(message m, name string) string {
	value, _ := message["Attributes"].(m)[name].(string)
	return value
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// after runs f when some time has passed.
func after(d time.Duration, f func()) { time.AfterFunc(d, f) }
