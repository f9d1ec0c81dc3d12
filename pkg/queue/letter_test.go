package queue_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// weight is what SQS counts of a message.
func weight(m queue.Outgoing) int {
	size := len(m.Body)
	for name, a := range m.Attributes {
		size += len(name) + len(a.Type) + len(a.Text) + len(a.Binary)
	}
	return size
}

func attributes(n int) map[string]queue.Attribute {
	all := map[string]queue.Attribute{}
	for i := range n {
		all[fmt.Sprint("a", i)] = queue.Attribute{Type: "Number", Text: fmt.Sprint(i)}
	}
	return all
}

// What came is kept whole, and what is said of it takes the room that is left.
func TestLettersOfWhatCanNotBeRead(t *testing.T) {
	whole := strings.Repeat("é", queue.MaxBatchBytes/2)
	for name, c := range map[string]struct {
		came  queue.Outgoing
		cause string
		notes []string
	}{
		"short":                 {queue.Outgoing{Body: "Hello?"}, "not JSON", []string{queue.CodeAttribute, queue.ReasonAttribute}},
		"a reason of rubbish":   {queue.Outgoing{Body: "Hello?"}, "no field /" + strings.Repeat("\x00\uFFFF", 5000), []string{queue.CodeAttribute, queue.ReasonAttribute}},
		"a body without room":   {queue.Outgoing{Body: whole}, strings.Repeat("why ", 1000), nil},
		"room for a short word": {queue.Outgoing{Body: whole[:len(whole)-80]}, strings.Repeat("why ", 1000), []string{queue.CodeAttribute, queue.ReasonAttribute}},
		"nine attributes":       {queue.Outgoing{Body: "x", Attributes: attributes(9)}, "not JSON", []string{queue.CodeAttribute}},
		"ten attributes":        {queue.Outgoing{Body: "x", Attributes: attributes(10)}, "not JSON", nil},
		"its own notes":         {queue.Outgoing{Body: "x", Attributes: map[string]queue.Attribute{queue.ReasonAttribute: queue.String("old")}}, "new", []string{queue.CodeAttribute, queue.ReasonAttribute}},
		"of every type": {queue.Outgoing{Body: "x", Trace: "Root=1", Group: "g", Dedup: "d", Attributes: map[string]queue.Attribute{
			"text": queue.String("a"), "number": {Type: "Number.int", Text: "7"}, "bytes": {Type: "Binary.png", Binary: []byte{0, 0xff}},
		}}, "not JSON", []string{queue.CodeAttribute, queue.ReasonAttribute}},
	} {
		before := maps.Clone(c.came.Attributes)
		letter := queue.Undecodable(c.came, errors.New(c.cause))
		if weight(letter) > queue.MaxBatchBytes || len(letter.Attributes) > queue.MaxAttributes || letter.Body != c.came.Body {
			t.Errorf("%s: %d bytes, %d attributes, the body is whole: %v", name, weight(letter), len(letter.Attributes), letter.Body == c.came.Body)
		}
		for _, note := range []string{queue.CodeAttribute, queue.ReasonAttribute} {
			got, noted := letter.Attributes[note]
			want := false
			for _, n := range c.notes {
				want = want || n == note
			}
			if noted != want || noted && (got.Text == "" || queue.Clean(got.Text) != got.Text || len(got.Text) > 1200 || !utf8.ValidString(got.Text) || got.Text == "old") {
				t.Errorf("%s: %s is %.100q", name, note, got.Text)
			}
		}
		if !reflect.DeepEqual(queue.Own(letter.Attributes), queue.Own(before)) {
			t.Errorf("%s: attributes %v of %v", name, letter.Attributes, before)
		}
		if letter.Trace != c.came.Trace || letter.Group != c.came.Group || letter.Dedup != c.came.Dedup {
			t.Errorf("%s: %+v", name, letter)
		}
		if !reflect.DeepEqual(before, c.came.Attributes) {
			t.Errorf("%s: the caller's attributes were changed: %v", name, c.came.Attributes)
		}
	}
}

func TestAttributesAreSentAsTheyAre(t *testing.T) {
	fake := &fakeSQS{}
	out := queue.Outgoing{Body: "x", Trace: "Root=1-2", Attributes: map[string]queue.Attribute{
		"text": queue.String("a\x00"), "number": {Type: "Number", Text: "7"}, "bytes": {Type: "Binary.png", Binary: []byte{0, 0xff}},
	}}
	if err := queue.New(fake).Send(t.Context(), "url", []queue.Outgoing{out})[0]; err != nil {
		t.Fatal(err)
	}
	entry := fake.sent[0].Entries[0]
	if a := entry.MessageAttributes["text"]; *a.DataType != "String" || *a.StringValue != "a\uFFFD" || a.BinaryValue != nil {
		t.Errorf("text: %+v", a)
	}
	if a := entry.MessageAttributes["number"]; *a.DataType != "Number" || *a.StringValue != "7" {
		t.Errorf("number: %+v", a)
	}
	if a := entry.MessageAttributes["bytes"]; *a.DataType != "Binary.png" || a.StringValue != nil || string(a.BinaryValue) != "\x00\xff" {
		t.Errorf("bytes: %+v", a)
	}
	if trace := entry.MessageSystemAttributes["AWSTraceHeader"]; trace.StringValue == nil || *trace.StringValue != "Root=1-2" {
		t.Errorf("trace: %+v", entry.MessageSystemAttributes)
	}
}

func TestARefusedLetterSaysWhy(t *testing.T) {
	m := queue.Message{ID: job.IDOf([16]byte{1}), N: 4, Trace: "Root=1", Letter: &queue.Letter{Task: "t", Reason: "boom", DiedAt: time.UnixMilli(7).UTC()}}
	refused := m.Refuse(errors.New(strings.Repeat("held ", 1000)))
	if m.Letter.Refused != "" {
		t.Error("the letter itself was changed")
	}
	if l := refused.Letter; !strings.HasPrefix(l.Refused, "held ") || len(l.Refused) > 1024 || l.Reason != "boom" || refused.N != 4 || refused.Trace != "Root=1" {
		t.Errorf("%+v", refused)
	}
	out, err := refused.LetterOut(true)
	if err != nil || out.Group != string(m.ID) || out.Dedup != string(m.ID)+":4" {
		t.Errorf("%+v, %v", out, err)
	}
	if plain, err := refused.LetterOut(false); err != nil || plain.Group != "" || plain.Dedup != "" || plain.Body != out.Body {
		t.Errorf("%+v, %v", plain, err)
	}
	if got, err := queue.DecodeMessage(out.Body); err != nil || !reflect.DeepEqual(*got.Letter, *refused.Letter) {
		t.Errorf("DecodeMessage = %+v, %v", got, err)
	}
}

func TestFitting(t *testing.T) {
	for text, fits := range map[string]bool{"a": true, strings.Repeat("a", 128): true, "": false, strings.Repeat("a", 129): false, "a b": false, "é": false} {
		if got := queue.Fitting(text); (got == text) != fits || len(got) < 1 || len(got) > 128 {
			t.Errorf("Fitting(%q) = %q", text, got)
		}
	}
}

func FuzzUndecodable(f *testing.F) {
	f.Add("body", "cause", "name", []byte{0, 1}, 3)
	f.Fuzz(func(t *testing.T, body, cause, name string, value []byte, n int) {
		came := queue.Outgoing{Body: body, Attributes: attributes(max(n%10, 0))}
		came.Attributes[name] = queue.Attribute{Type: "Binary", Binary: value}
		before := weight(came)
		letter := queue.Undecodable(came, errors.New(cause))
		if letter.Body != body || len(letter.Attributes) > queue.MaxAttributes || weight(letter) > max(before, queue.MaxBatchBytes) {
			t.Errorf("%d bytes, %d attributes", weight(letter), len(letter.Attributes))
		}
		for name, a := range queue.Own(came.Attributes) {
			if !reflect.DeepEqual(letter.Attributes[name], a) {
				t.Errorf("the attribute %q was %v and is %v", name, a, letter.Attributes[name])
			}
		}
	})
}

func ExampleUndecodable() {
	letter := queue.Undecodable(queue.Outgoing{Body: "Hello?"}, errors.New("not JSON"))
	fmt.Println(letter.Body, letter.Attributes[queue.CodeAttribute].Text, letter.Attributes[queue.ReasonAttribute].Text)
	// Output: Hello? undecodable not JSON
}
