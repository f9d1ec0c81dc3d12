package sqs

import (
	"context"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzHandle(f *testing.F) {
	f.Add("garbage")
	f.Add(handle{1, 2, 3}.String())
	f.Add(handle{1, 2, 3}.String() + "=")
	f.Add(handle{1, 2, 3}.String() + "\n")
	f.Fuzz(func(t *testing.T, s string) {
		h, ok := parseHandle(s)
		if ok && h.String() != s {
			t.Errorf("%q and %q are the same handle", s, h.String())
		}
	})
}

func FuzzHandleRoundTrip(f *testing.F) {
	f.Add(uint32(1), uint64(2), uint64(3))
	f.Fuzz(func(t *testing.T, queue uint32, seq, nonce uint64) {
		h := handle{queue, seq, nonce}
		if got, ok := parseHandle(h.String()); !ok || got != h {
			t.Errorf("%v came back as %v, %v", h, got, ok)
		}
	})
}

// Against the formula of the developer guide, written down a second time.
func FuzzDigestOfAttributes(f *testing.F) {
	f.Add("a", "x", "b", []byte{1})
	f.Add("z", "", "a", []byte(nil))
	f.Fuzz(func(t *testing.T, name1, value1, name2 string, value2 []byte) {
		if name1 == name2 {
			return
		}
		length := func(s string) string {
			n := len(s)
			return string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + s
		}
		parts := []string{
			length(name1) + length("String.x") + "\x01" + length(value1),
			length(name2) + length("Binary") + "\x02" + length(string(value2)),
		}
		if name2 < name1 {
			parts[0], parts[1] = parts[1], parts[0]
		}
		want := fmt.Sprintf("%x", md5.Sum([]byte(strings.Join(parts, ""))))
		got := digestAttributes(map[string]attribute{name1: {DataType: "String.x", StringValue: &value1}, name2: {DataType: "Binary", BinaryValue: value2}})
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// Whatever a body says: no panic, no failure of the service, and what was taken
// comes back as it was.
func FuzzSend(f *testing.F) {
	for _, body := range []string{
		`{"QueueUrl":"http://h/000000000000/q","MessageBody":"x"}`,
		`{"QueueUrl":"http://h/000000000000/f.fifo","MessageBody":"x","MessageGroupId":"g","MessageDeduplicationId":"d"}`,
		`{"QueueUrl":"http://h/000000000000/q","MessageBody":"x","MessageAttributes":{"a":{"DataType":"Number","StringValue":"1e5"}}}`,
		`{"QueueUrl":"q","MessageBody":"\ud800"}`, `[]`, `null`, `{"DelaySeconds":"x"}`,
	} {
		f.Add([]byte(body))
	}
	db, err := Open(Config{Path: filepath.Join(f.TempDir(), "sqs.db")})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	s := &service{TB: f, db: db}
	s.queue("q", nil)
	s.queue("f.fifo", m{"FifoQueue": "true", "ContentBasedDeduplication": "true"})
	send := db.Service().Operations["SendMessage"]
	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := send(context.Background(), body)
		if err != nil {
			if _, _, sender := asRefusal(err); !sender {
				t.Errorf("failed: %v", err)
			}
			return
		}
		var in sendInput
		if err := json.Unmarshal(body, &in); err != nil {
			t.Fatalf("took what is no request: %v", err)
		}
		if sum := answer.(*sent).MD5OfMessageBody; sum != digest(in.MessageBody) || !utf8.ValidString(in.MessageBody) {
			t.Errorf("digest %s of %q", sum, in.MessageBody)
		}
	})
}
