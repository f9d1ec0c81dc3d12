package queue_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// passes tells whether SQS takes the text as a body.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
func passes(body string) bool {
	if !utf8.ValidString(body) {
		return false
	}
	return strings.IndexFunc(body, func(r rune) bool {
		return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
	}) < 0
}

// legible is what a text is after it went through a message: what is no UTF-8 is
// U+FFFD, and all else is as it was. What SQS does not take is escaped, and therefore
// survives.
func legible(text string) string {
	var out strings.Builder
	for _, r := range text { // a byte that is no UTF-8 is U+FFFD here
		out.WriteRune(r)
	}
	return out.String()
}

// Whatever a job carries along, its message and its letter pass SQS and come back
// as they were, but for bytes that are no UTF-8.
func FuzzMessageRoundTrip(f *testing.F) {
	for _, text := range []string{"Root=1-6931a3d0", "a\x00b\x1f", "\uffff\ufffe", "\xed\xa0\x80 \xff", "😀 \u2028 </script>", `"\`, ""} {
		f.Add([]byte{1, 2}, int64(3), text, text, "group", true)
		f.Add([]byte{}, int64(1), text, text, "", false)
	}
	f.Fuzz(func(t *testing.T, bits []byte, n int64, trace, reason, group string, letter bool) {
		var sixteen [16]byte
		copy(sixteen[:], bits)
		sent := queue.Message{ID: job.IDOf(sixteen), N: n, Trace: trace}
		if group != "" && len(group) <= 128 {
			sent.ID = sent.ID.InGroup("orders", group)
		}
		if letter {
			sent.Letter = &queue.Letter{
				Task: "note.write", Queue: "notes", Code: reason, Reason: reason, Client: trace, Refused: reason,
				Attempts: 3, MaxAttempts: 25, Deaths: 1, CreatedAt: time.UnixMilli(1).UTC(), DiedAt: time.UnixMilli(2).UTC(),
			}
		}
		body, err := sent.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if !passes(body) || !json.Valid([]byte(body)) {
			t.Fatalf("SQS refuses %q", body)
		}
		got, err := queue.DecodeMessage(body)
		if err != nil {
			t.Fatalf("%q does not come back: %v", body, err)
		}
		if got.ID != sent.ID || got.N != n || got.Trace != legible(trace) || (got.Letter == nil) != (sent.Letter == nil) {
			t.Errorf("%+v came back as %+v", sent, got)
		}
		if !letter {
			return
		}
		want := *sent.Letter
		want.Code, want.Reason, want.Refused, want.Client = legible(reason), legible(reason), legible(reason), legible(trace)
		if *got.Letter != want {
			t.Errorf("%+v came back as %+v", want, *got.Letter)
		}
	})
}
