package knownfaults

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// count has numbers that a float64 can't hold.
type count struct {
	Signed   int64            `json:"signed"`
	Unsigned uint64           `json:"unsigned"`
	Many     []int64          `json:"many"`
	Named    map[string]int64 `json:"named"`
	Raw      json.RawMessage  `json:"raw"`
}

// From the producer's arguments through row, stream, message and claim to the
// handler, and back through progress, cursor and result: every digit is the same.
func TestBigIntegersSurviveTheWholeWay(t *testing.T) {
	sent := count{
		Signed: math.MinInt64, Unsigned: math.MaxUint64, Many: []int64{9007199254740993, 1152921504606846977, -9007199254740993, math.MaxInt64},
		Named: map[string]int64{"id": 9007199254740993}, Raw: json.RawMessage(`{"n":12345678901234567890123456789,"f":1.10}`),
	}
	same := func(where string, got count) {
		want, err := json.Marshal(sent)
		have, err2 := json.Marshal(got)
		if err != nil || err2 != nil || string(want) != string(have) {
			t.Errorf("%s: %s, want %s; %v, %v", where, have, want, err, err2)
		}
	}
	counting := job.DefineResult[count, count]("count.up", notes(nil).Definition().Policy)
	w := wire(t, "", []job.Defined{counting}, worker.HandleResult(counting, func(ctx context.Context, j *job.Job[count]) (count, error) {
		same("the arguments", j.Args)
		if err := worker.Progress(ctx, j, j.Args); err != nil {
			return count{}, job.Fail(err)
		}
		cursor, continued, err := job.Cursor[count](j)
		if err != nil {
			return count{}, job.Fail(err)
		}
		if !continued {
			return count{}, job.Continue(j.Args)
		}
		same("the cursor", cursor)
		return cursor, nil
	}))
	id, err := w.producer.Enqueue(t.Context(), counting.With(sent))
	if err != nil {
		t.Fatal(err)
	}
	rec := w.ended(id)
	var result count
	if err := json.Unmarshal(rec.Result, &result); err != nil || rec.State != lifecycle.Done {
		t.Fatalf("%s: %s, %v", rec.State, rec.Result, err)
	}
	same("the result", result)
	for _, digits := range []string{"9007199254740993", "18446744073709551615", "12345678901234567890123456789", "1.10"} {
		for _, text := range [][]byte{rec.Args, rec.Progress, rec.Result} {
			if !strings.Contains(string(text), digits) {
				t.Errorf("%s is missing from %s", digits, text)
			}
		}
	}
}

// texts are characters that SQS, JSON or XML refuse, and some that look like it.
var texts = map[string]string{
	"plain": "plain", "U+FFFF": "a\uffffb", "U+FFFE": "\ufffe", "U+0000": "a\x00b", "control characters": "\x01\x07\x0b\x1f\x7f",
	"an emoji": "😀", "line separators": "\u2028\u2029\u0085", "XML": "</Message>&#xFFFF;", "a noncharacter of a far plane": "\U0010FFFF\U0001FFFE",
	"quotes": `"\"`, "replaced before": "\ufffd",
}

// broken are bytes that are no text.
var broken = map[string]string{"a lone surrogate": "\xed\xa0\x80", "bytes": "\x00\x07\x0b\x1f\xff\x89PNG", "a cut character": "a\xc3"}

// speech is what a job of the test below carries.
type speech struct {
	Text string `json:"text"`
	Data []byte `json:"data"`
	Fail bool   `json:"fail"`
}

// A fan-out of texts, each in arguments, trace, client and error: every job ends
// as it should, every letter comes, and none keeps another from it. What is no
// text is refused where it is enqueued, at once and for good.
func TestNoCharacterPoisonsABatch(t *testing.T) {
	var mu sync.Mutex
	heard := map[string]speech{}
	saying := job.Define[speech]("text.say", notes(nil).Definition().Policy)
	w := wire(t, "", []job.Defined{saying}, worker.Handle(saying, func(_ context.Context, j *job.Job[speech]) error {
		mu.Lock()
		heard[string(j.ID)] = j.Args
		mu.Unlock()
		if j.Args.Fail {
			return job.Fail(errors.New(j.Args.Text + string(j.Args.Data)))
		}
		return nil
	}))
	good, bad := map[job.ID]speech{}, map[job.ID]speech{}
	say := func(s speech, aside string) {
		id, err := w.producer.Enqueue(t.Context(), saying.With(s), job.WithTrace(aside), job.ByClient(aside))
		if err != nil {
			t.Fatalf("%q: %v", s.Text, err)
		}
		if s.Fail {
			bad[id] = s
		} else {
			good[id] = s
		}
	}
	for _, text := range texts {
		say(speech{Text: text, Data: []byte(text)}, text)
		say(speech{Text: text, Data: []byte(text), Fail: true}, text)
	}
	for name, bytes := range broken {
		say(speech{Text: name, Data: []byte(bytes)}, name+bytes)
		say(speech{Text: name, Data: []byte(bytes), Fail: true}, name+bytes)
		if _, err := w.producer.Enqueue(t.Context(), saying.With(speech{Text: bytes})); !errors.Is(err, producer.ErrArguments) {
			t.Errorf("%s as text: %v, want ErrArguments", name, err)
		}
	}
	for id, s := range good {
		if rec := w.ended(id); rec.State != lifecycle.Done {
			t.Errorf("%q ended as %s: %+v", s.Text, rec.State, rec.Error)
		}
	}
	for range bad {
		m, raw := w.letter()
		s, known := bad[m.ID]
		if m.Letter == nil || !known || !utf8.ValidString(*raw.Body) {
			t.Fatalf("a letter of %q: %s", s.Text, *raw.Body)
		}
		if legible := queue.Clean(s.Text); !strings.HasPrefix(queue.Clean(m.Letter.Reason), legible) || m.Letter.Task != "text.say" {
			t.Errorf("%q died of %q", s.Text, m.Letter.Reason)
		}
		if rec := w.ended(m.ID); rec.State != lifecycle.Dead {
			t.Errorf("%q ended as %s", s.Text, rec.State)
		}
		delete(bad, m.ID)
	}
	mu.Lock()
	defer mu.Unlock()
	for id, s := range good {
		if got := heard[string(id)]; got.Text != s.Text || string(got.Data) != string(s.Data) {
			t.Errorf("%q, %q came as %q, %q", s.Text, s.Data, got.Text, got.Data)
		}
	}
}

// An entry that SQS refuses is the end of its own job, with the reason; those that
// went out in the same calls are done, and a message that nobody can read is a
// letter.
func TestOneBadEntryFailsNoNeighbour(t *testing.T) {
	writing := notes(nil)
	w := wire(t, "1024", []job.Defined{writing}, worker.Handle(writing, func(context.Context, *job.Job[note]) error { return nil }))
	var good, bad []job.ID
	for i := range 25 {
		n, err := w.producer.Plan(t.Context(), writing.With(note{Text: "x"}))
		if err != nil {
			t.Fatal(err)
		}
		if i%10 == 3 {
			n.Trace = strings.Repeat("x", 2000) // more than the queue takes of a message
			bad = append(bad, n.ID)
		} else {
			good = append(good, n.ID)
		}
		if _, _, err := w.jobs.Create(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	stray := "<message>\ufffd no JSON</message>"
	source := strings.TrimSuffix(w.letters, "letters") + "notes"
	if _, err := w.sqs.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &source, MessageBody: aws.String(stray)}); err != nil {
		t.Fatal(err)
	}
	for _, id := range good {
		if rec := w.ended(id); rec.State != lifecycle.Done {
			t.Errorf("a neighbour is %s: %+v", rec.State, rec.Error)
		}
	}
	for _, id := range bad {
		if rec := w.ended(id); rec.State != lifecycle.Dead || rec.Error.Code != "undeliverable" || rec.Attempt != 0 {
			t.Errorf("what SQS refuses is %s: %+v", rec.State, rec.Error)
		}
	}
	strays := 0
	for range len(bad) + 1 {
		if m, raw := w.letter(); m.Letter == nil {
			strays++
			if *raw.Body != stray || raw.MessageAttributes[queue.ReasonAttribute].StringValue == nil {
				t.Errorf("%s, %v", *raw.Body, raw.MessageAttributes)
			}
		}
	}
	if strays != 1 {
		t.Errorf("%d letters of what nobody can read, want 1", strays)
	}
}

// Groups of any name that SQS takes, of the longest, and with jobs that die of any
// text: each group keeps its order, and every letter comes.
func TestGroupsSurviveTheWire(t *testing.T) {
	const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	groups := []string{"a", "../..", punctuation, strings.Repeat("g", 128), strings.Repeat("~", 128)}
	var mu sync.Mutex
	order := map[string][]string{}
	saying := job.Define[speech]("text.say", notes(func(p *job.Policy) { p.Queue.FIFO = true }).Definition().Policy)
	w := wire(t, "", []job.Defined{saying}, worker.Handle(saying, func(_ context.Context, j *job.Job[speech]) error {
		_, group, _ := j.ID.Group()
		mu.Lock()
		order[group] = append(order[group], j.Args.Text)
		mu.Unlock()
		if j.Args.Fail {
			return job.Fail(errors.New("\uffff\x00" + j.Args.Text))
		}
		return nil
	}))
	var ids []job.ID
	for i := range 5 {
		for _, group := range groups {
			id, err := w.producer.Enqueue(t.Context(), saying.With(speech{Text: strconv.Itoa(i), Fail: i == 2}), job.Group(group))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
	}
	for _, group := range []string{"", "a b", "ä", "\uffff", "a\x00", strings.Repeat("g", 129)} {
		if _, err := w.producer.Enqueue(t.Context(), saying.With(speech{}), job.Group(group)); !errors.Is(err, producer.ErrOptions) {
			t.Errorf("group %q: %v, want ErrOptions", group, err)
		}
	}
	for _, id := range ids {
		w.ended(id)
	}
	for range groups {
		if m, raw := w.letter(); m.Letter == nil || !strings.HasSuffix(m.Letter.Reason, "2") {
			t.Errorf("a letter: %s", *raw.Body)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, group := range groups {
		if got := strings.Join(order[group], " "); got != "0 1 2 3 4" {
			t.Errorf("group %q ran as %s", group, got)
		}
	}
}
