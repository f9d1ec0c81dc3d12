package job_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

type resize struct {
	Key string `json:"key"`
}

func photos() job.Queue {
	return job.Queue{Name: "photos", PeakArrivals: job.PerSecond(20), ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}
}

func TestDefinitionsReportEveryMistake(t *testing.T) {
	bad := job.Define[string]("Photo Resize", job.Policy{
		Queue:       job.Queue{Name: "Photos", Utilisation: 2, Batch: 11, Bound: 12},
		MaxAttempts: -1, Timeout: time.Hour, MaxArguments: -1,
	}).Definition().Validate()
	if bad == nil {
		t.Fatal("Validate accepted it")
	}
	for _, want := range []string{
		"Photo Resize", "use a struct", "40 lower case letters", "PeakArrivals", "ServiceTime", "LongestWait",
		"Utilisation", "Batch is 11", "Bound is 12", "MaxAttempts", "Timeout is 1h", "MaxArguments",
	} {
		if !strings.Contains(bad.Error(), want) {
			t.Errorf("the report does not mention %q:\n%v", want, bad)
		}
	}
	letters := photos()
	letters.Name = "photos-dlq"
	if err := letters.Validate(); err == nil || !strings.Contains(err.Error(), "must not end in -dlq") {
		t.Errorf("a queue called like a dead-letter queue: %v", err)
	}
	good := job.Define[resize]("photo.resize", job.Policy{Queue: photos()}).Definition()
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	if good.Policy.MaxAttempts != 25 || good.Policy.Timeout != time.Minute || good.Policy.MaxArguments != 256<<10 {
		t.Errorf("defaults: %+v", good.Policy)
	}
}

func TestParseID(t *testing.T) {
	id, err := job.NewID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	grouped := id.InGroup("orders", "customer/7 é")
	if queue, group, ok := grouped.Group(); queue != "orders" || group != "customer/7 é" || !ok {
		t.Errorf("Group = %q, %q, %v", queue, group, ok)
	}
	for _, good := range []job.ID{id, grouped, job.IDOf([16]byte{})} {
		if got, err := job.ParseID(string(good)); err != nil || got != good {
			t.Errorf("ParseID(%q) = %q, %v", good, got, err)
		}
	}
	for _, bad := range []string{
		"", "x", string(id) + "x", string(id[:25]), strings.ToUpper(string(id)) + "", "a.b." + string(id[:20]),
		"Orders.Zm9v." + string(id), "orders.!!." + string(id), "orders.Zm9v.x." + string(id), strings.Repeat("a", 2000), "../" + string(id), string(id[:24]) + "\n\n", string(id[:25]) + "u",
	} {
		if got, err := job.ParseID(bad); !errors.Is(err, job.ErrBadID) {
			t.Errorf("ParseID(%.50q) = %q, %v", bad, got, err)
		}
	}
}

func TestNewIDReportsAFailingSource(t *testing.T) {
	if _, err := job.NewID(bytes.NewReader(nil)); !errors.Is(err, io.EOF) {
		t.Errorf("NewID = %v", err)
	}
}

func FuzzParseID(f *testing.F) {
	f.Add("orders.Zm9v.0123456789abcdefghjkmnpqrs")
	f.Add("0123456789abcdefghjkmnpqrs")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := job.ParseID(text)
		if err != nil {
			return
		}
		if strings.ContainsAny(string(id), "/?#%& \n") {
			t.Errorf("an id that is not safe in a URL: %q", id)
		}
		if again, err := job.ParseID(string(id)); err != nil || again != id {
			t.Errorf("%q does not parse again", id)
		}
	})
}

type coded struct{}

func (coded) Error() string     { return "the photo is cut off" }
func (coded) ErrorCode() string { return "truncated" }

func TestVerdicts(t *testing.T) {
	if code := job.ErrorCode(job.Fail(fmt.Errorf("reading: %w", coded{}))); code != "truncated" {
		t.Errorf("code %q", code)
	}
	if code := job.ErrorCode(errors.New("boom")); code != job.DefaultErrorCode {
		t.Errorf("code %q", code)
	}
	if err := job.Fail(nil); err == nil || !strings.Contains(err.Error(), "without a reason") {
		t.Errorf("Fail(nil) = %v", err)
	}
	var snooze *job.SnoozeError
	if errors.As(job.Snooze(-time.Hour), &snooze); snooze.For != 0 {
		t.Errorf("a negative snooze lasts %v", snooze.For)
	}
}

func TestCursor(t *testing.T) {
	first := job.New(job.Job[resize]{ID: "a"}, job.Internals{})
	if _, ok, err := job.Cursor[int](first); ok || err != nil {
		t.Errorf("first run: %v, %v", ok, err)
	}
	later := job.New(job.Job[resize]{ID: "a"}, job.Internals{Cursor: []byte(`{"page":7}`), Token: "t"})
	cursor, ok, err := job.Cursor[struct{ Page int }](later)
	if cursor.Page != 7 || !ok || err != nil {
		t.Errorf("Cursor = %+v, %v, %v", cursor, ok, err)
	}
	if _, _, err := job.Cursor[int](later); err == nil {
		t.Error("a cursor of another type was read")
	}
	if job.Token(later) != "t" || later.Key("mail") != "a:mail" || later.Key("") != "a" {
		t.Errorf("token %q, keys %q %q", job.Token(later), later.Key("mail"), later.Key(""))
	}
}

func TestApply(t *testing.T) {
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	o := job.Apply(job.In(time.Minute), job.At(at), job.Group("g"), job.WithID("id", "f"), job.ByClient("ann"), job.WithTrace("t"))
	want := job.Options{Delay: time.Minute, NotBefore: at, Group: "g", ID: "id", Fingerprint: "f", Client: "ann", Trace: "t"}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("Apply = %+v", o)
	}
}

func ExampleDefineResult() {
	type Sizes struct{ Count int }
	photos := job.Queue{Name: "photos", PeakArrivals: job.PerSecond(20), ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}
	resize := job.DefineResult[resize, Sizes]("photo.resize", job.Policy{Queue: photos, MaxAttempts: 5})

	d := resize.Definition()
	fmt.Println(d.Name, "runs on", d.Policy.Queue.Name, "at most", d.Policy.MaxAttempts, "times")
	fmt.Println(d.Validate())
	// Output:
	// photo.resize runs on photos at most 5 times
	// <nil>
}

func ExampleFail() {
	err := job.Fail(errors.New("the photo is cut off"))
	var fail *job.FailError
	fmt.Println(errors.As(err, &fail), err)
	// Output: true the photo is cut off
}

// Where processes poll the queue a run may take longer than a function lives.
func TestTimeouts(t *testing.T) {
	polled := func(q job.Queue) job.Queue { q.Polled = true; return q }
	queue := job.Queue{Name: "films", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute}
	for _, tt := range []struct {
		queue   job.Queue
		timeout time.Duration
		want    string // of the error; empty: there is none
	}{
		{queue, job.MaxTimeout, ""},
		{queue, job.MaxTimeout + 1, "or has a queue that processes poll"},
		{polled(queue), job.MaxTimeout + 1, ""},
		{polled(queue), job.MaxPolledTimeout, ""},
		{polled(queue), job.MaxPolledTimeout + 1, "it is at most 11h50m0s"},
		{queue, job.MaxPolledTimeout + 1, "Continue"},
	} {
		err := job.Policy{Queue: tt.queue, Timeout: tt.timeout}.Validate()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, polled %v: %v, want %q", tt.timeout, tt.queue.Polled, err, tt.want)
		}
	}
}

func TestIsVerdict(t *testing.T) {
	boom := errors.New("boom")
	for _, err := range []error{job.Fail(boom), job.RetryAfter(time.Second, boom), job.Snooze(0), job.Continue(1), job.Discard("")} {
		if !job.IsVerdict(err) || !job.IsVerdict(fmt.Errorf("wrapped: %w", err)) {
			t.Errorf("%T is no verdict", err)
		}
	}
	for _, err := range []error{nil, boom, coded{}} {
		if job.IsVerdict(err) {
			t.Errorf("%v is a verdict", err)
		}
	}
}
