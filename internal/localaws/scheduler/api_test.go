package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/localaws/restjson"
	engine "github.com/nightshift-go/nightshift/internal/runner/scheduler"
)

// A world is a scheduler, its clock, and where it fires to.
type world struct {
	t    *testing.T
	db   *DB
	path string

	mu      sync.Mutex
	now     time.Time
	wake    chan struct{} // closed when the clock is moved
	missing bool          // queues are away
	sent    chan string   // what arrived: ARN, group, body
	letters chan map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "scheduler.db"), now: time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC),
		wake: make(chan struct{}), sent: make(chan string, 100), letters: make(chan map[string]string, 100)}
	w.open()
	t.Cleanup(func() { w.close() })
	return w
}

func (w *world) open() {
	w.t.Helper()
	db, err := Open(Config{Path: w.path, Now: w.clock, Sleep: w.sleep, Send: w.send, Invoke: w.invoke})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := db.Fire(); err != nil {
		w.t.Fatal(err)
	}
	w.db = db
}

func (w *world) close() {
	w.t.Helper()
	if err := w.db.Close(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// sleep waits until the test has moved the clock that far.
func (w *world) sleep(ctx context.Context, d time.Duration) error {
	until := w.clock().Add(d)
	for {
		w.mu.Lock()
		over, wake := !w.now.Before(until), w.wake
		w.mu.Unlock()
		if over {
			return nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *world) move(now string) {
	w.t.Helper()
	to, err := time.Parse(time.RFC3339, now)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = to
	close(w.wake)
	w.wake = make(chan struct{})
}

func (w *world) send(_ context.Context, arn, body, group string, attributes map[string]string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if attributes != nil {
		w.letters <- attributes
		return nil
	}
	if w.missing {
		return fmt.Errorf("%w: %s", ErrNoTarget, arn)
	}
	w.sent <- strings.TrimSpace(arn[strings.LastIndex(arn, ":")+1:] + " " + group + " " + body)
	return nil
}

func (w *world) invoke(ctx context.Context, arn string, payload []byte, concluded func()) error {
	defer concluded()
	return w.send(ctx, arn, string(payload), "", nil)
}

func (w *world) await(want string) {
	w.t.Helper()
	select {
	case got := <-w.sent:
		if got != want {
			w.t.Fatalf("%q arrived, want %q", got, want)
		}
	case <-time.After(20 * time.Second):
		w.t.Fatalf("%q did not arrive", want)
	}
}

// call makes a request and gives the answer; the error's code stands under "code".
func (w *world) call(method, path, body string) map[string]any {
	w.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	answer := httptest.NewRecorder()
	w.db.ServeHTTP(answer, r)
	var decoded map[string]any
	if err := json.Unmarshal(answer.Body.Bytes(), &decoded); err != nil {
		w.t.Fatalf("%s %s: %s: %v", method, path, answer.Body, err)
	}
	decoded["code"] = answer.Header().Get("X-Amzn-Errortype")
	if (answer.Code == http.StatusOK) != (decoded["code"] == "") {
		w.t.Fatalf("%s %s: status %d and code %q", method, path, answer.Code, decoded["code"])
	}
	return decoded
}

func (w *world) want(code, method, path, body string) map[string]any {
	w.t.Helper()
	answer := w.call(method, path, body)
	if answer["code"] != code {
		w.t.Fatalf("%s %s %s: %v, want %q", method, path, body, answer, code)
	}
	return answer
}

const (
	queueARN  = "arn:aws:sqs:us-east-1:000000000000:work"
	lambdaARN = "arn:aws:lambda:us-east-1:000000000000:function:f"
	roleARN   = "arn:aws:iam::000000000000:role/r"
)

// body makes the body of a call from its members, each of which may be replaced.
func body(members ...string) string {
	all := map[string]string{"FlexibleTimeWindow": `{"Mode":"OFF"}`, "ScheduleExpression": `"at(2026-11-23T08:00:00)"`,
		"Target": `{"Arn":"` + queueARN + `","RoleArn":"` + roleARN + `","Input":"hello <aws.scheduler.scheduled-time>"}`}
	for i := 0; i < len(members); i += 2 {
		all[members[i]] = members[i+1]
	}
	var parts []string
	for name, value := range all {
		if value != "" {
			parts = append(parts, fmt.Sprintf("%q:%s", name, value))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func TestCreateGetUpdateDelete(t *testing.T) {
	w := newWorld(t)
	made := w.want("", "POST", "/schedules/s", body("ScheduleExpression", `"rate(5 minutes)"`, "State", `"DISABLED"`, "ClientToken", `"a"`))
	if made["ScheduleArn"] != "arn:aws:scheduler:us-east-1:000000000000:schedule/default/s" {
		t.Error(made)
	}
	w.want("", "POST", "/schedules/s", body("ScheduleExpression", `"rate(5 minutes)"`, "State", `"DISABLED"`, "ClientToken", `"a"`)) // its answer was lost
	w.want("ConflictException", "POST", "/schedules/s", body("ScheduleExpression", `"rate(5 minutes)"`, "State", `"DISABLED"`, "ClientToken", `"b"`))
	got := w.want("", "GET", "/schedules/s", "")
	if got["ScheduleExpressionTimezone"] != "UTC" || got["State"] != "DISABLED" || got["GroupName"] != "default" || got["CreationDate"] == nil || got["ClientToken"] != nil || got["Revision"] != nil {
		t.Error(got)
	}
	w.want("", "PUT", "/schedules/s", body("ScheduleExpression", `"cron(0 8 * * ? *)"`, "ScheduleExpressionTimezone", `"Europe/Berlin"`, "FlexibleTimeWindow", `{"Mode":"FLEXIBLE","MaximumWindowInMinutes":5}`))
	got = w.want("", "GET", "/schedules/s", "")
	if got["ScheduleExpression"] != "cron(0 8 * * ? *)" || got["ScheduleExpressionTimezone"] != "Europe/Berlin" || got["State"] != "ENABLED" {
		t.Error(got)
	}
	w.want("", "DELETE", "/schedules/s?clientToken=x", "")
	w.want("", "DELETE", "/schedules/s?clientToken=x", "") // its answer was lost
	w.want("ResourceNotFoundException", "DELETE", "/schedules/s?clientToken=y", "")
	w.want("ResourceNotFoundException", "GET", "/schedules/s", "")
	w.want("ResourceNotFoundException", "PUT", "/schedules/s", body())
	w.want("UnknownOperationException", "GET", "/tags/arn", "")
	w.want("UnknownOperationException", "PATCH", "/schedules/s", "")
}

func TestGroupsAndLists(t *testing.T) {
	w := newWorld(t)
	w.want("ResourceNotFoundException", "POST", "/schedules/s", body("GroupName", `"g"`))
	w.want("", "POST", "/schedule-groups/g", `{"ClientToken":"x"}`)
	w.want("ConflictException", "POST", "/schedule-groups/g", `{}`)
	w.want("ValidationException", "POST", "/schedule-groups/a%20b", `{}`)
	for i := range 5 {
		group := []string{`"g"`, `"default"`}[i%2]
		w.want("", "POST", fmt.Sprintf("/schedules/s%d", i), body("GroupName", group, "State", `"DISABLED"`))
	}
	names := func(query string) (all []string) {
		for token := ""; ; {
			page := w.want("", "GET", "/schedules?"+query+"&NextToken="+token, "")
			for _, s := range page["Schedules"].([]any) {
				all = append(all, s.(map[string]any)["Name"].(string))
			}
			next, more := page["NextToken"].(string)
			if !more {
				return all
			}
			token = next
		}
	}
	for query, want := range map[string]string{
		"": "s1 s3 s0 s2 s4", "MaxResults=2": "s1 s3 s0 s2 s4", "ScheduleGroup=g": "s0 s2 s4", "ScheduleGroup=g&MaxResults=1": "s0 s2 s4",
		"NamePrefix=s3": "s3", "NamePrefix=x": "", "State=ENABLED": "", "State=DISABLED&ScheduleGroup=default": "s1 s3",
	} {
		if got := strings.Join(names(query), " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	w.want("ValidationException", "GET", "/schedules?MaxResults=0", "")
	w.want("ValidationException", "GET", "/schedules?NextToken=!", "")
	if groups := w.want("", "GET", "/schedule-groups?NamePrefix=g", "")["ScheduleGroups"].([]any); len(groups) != 1 {
		t.Error(groups)
	}
	if g := w.want("", "GET", "/schedule-groups/default", ""); g["State"] != "ACTIVE" {
		t.Error(g)
	}
	w.want("ValidationException", "DELETE", "/schedule-groups/default", "")
	w.want("", "DELETE", "/schedule-groups/g", "")
	w.want("ResourceNotFoundException", "GET", "/schedule-groups/g", "")
	w.want("ResourceNotFoundException", "DELETE", "/schedule-groups/g", "")
	w.want("ResourceNotFoundException", "GET", "/schedules/s0?groupName=g", "")
	if got := strings.Join(names(""), " "); got != "s1 s3" {
		t.Error(got)
	}
}

func TestRefusesWhatAWSDoes(t *testing.T) {
	w := newWorld(t)
	target := func(rest string) string { return `{"Arn":"` + queueARN + `","RoleArn":"` + roleARN + `"` + rest + `}` }
	for i, c := range [][]string{
		{"ScheduleExpression", `"cron(bad)"`}, {"ScheduleExpression", `"rate(0 minutes)"`}, {"ScheduleExpression", `"cron(* * * * * *)"`}, {"ScheduleExpression", ""},
		{"ScheduleExpressionTimezone", `"Mars/Base"`}, {"State", `"ON"`}, {"ActionAfterCompletion", `"KEEP"`}, {"StartDate", "2000", "EndDate", "1000"}, {"StartDate", "-1"}, {"EndDate", "1e300"},
		{"FlexibleTimeWindow", ""}, {"FlexibleTimeWindow", `{"Mode":"FLEXIBLE"}`}, {"FlexibleTimeWindow", `{"Mode":"OFF","MaximumWindowInMinutes":5}`},
		{"FlexibleTimeWindow", `{"Mode":"FLEXIBLE","MaximumWindowInMinutes":1441}`}, {"FlexibleTimeWindow", `{"Mode":"x"}`},
		{"Target", ""}, {"Target", `{"Arn":"arn:aws:ecs:us-east-1:000000000000:cluster/c","RoleArn":"` + roleARN + `"}`}, {"Target", `{"Arn":"` + queueARN + `"}`},
		{"Target", `{"Arn":"` + lambdaARN + `","RoleArn":"` + roleARN + `","Input":"{"}`}, {"Target", target(`,"KinesisParameters":{"PartitionKey":"x"}`)},
		{"Target", target(`,"RetryPolicy":{"MaximumRetryAttempts":186}`)}, {"Target", target(`,"RetryPolicy":{"MaximumEventAgeInSeconds":59}`)},
		{"Target", target(`,"DeadLetterConfig":{"Arn":"` + queueARN + `.fifo"}`)}, {"Target", target(`,"SqsParameters":{"MessageGroupId":"g"}`)},
		{"Target", strings.Replace(target(""), ":work", ":work.fifo", 1)}, {"Target", target(`,"Input":"` + strings.Repeat("x", 256<<10+1) + `"`)},
		{"Description", `"` + strings.Repeat("x", 513) + `"`}, {"Unheard", "1"}, {"State", "7"},
	} {
		w.want("ValidationException", "POST", fmt.Sprintf("/schedules/s%d", i), body(c...))
	}
	w.want("ValidationException", "POST", "/schedules/a%20b", body())
	w.want("ValidationException", "POST", "/schedules/s", "{")
	answer := w.want("ValidationException", "POST", "/schedules/s", body("ScheduleExpression", `"cron(0 9 * * MON *)"`))
	if message := answer["Message"].(string); !strings.Contains(message, "day of month") {
		t.Errorf("the parser's words are missing: %s", message)
	}
}

// What is taken can fire, and is kept as it was sent.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{body(), body("ScheduleExpression", `"rate(5 minutes)"`, "State", `"DISABLED"`), body("StartDate", "1e300"), body("EndDate", "-5"), "{", "null", `{"Target":null}`} {
		f.Add("s", seed)
	}
	f.Fuzz(func(t *testing.T, name, sent string) {
		d, err := call{name: name, body: []byte(sent)}.document()
		if err != nil {
			var refused *restjson.Error
			if !errors.As(err, &refused) {
				t.Fatalf("%s: %v", sent, err)
			}
			return
		}
		kept, err := json.Marshal(record{document: d, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		var again record
		if err := json.Unmarshal(kept, &again); err != nil || !reflect.DeepEqual(again.document, d) {
			t.Fatalf("%s is kept as %s: %v", sent, kept, err)
		}
		if _, err := engine.New((&DB{}).engine(again, "key")); err != nil {
			t.Fatalf("%s is taken, and can't fire: %v", sent, err)
		}
	})
}
