package runner

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
)

// startScaled starts the stack that tells the time.
func startScaled(t *testing.T, scale float64, change func(*Config)) (*Stack, lines) {
	t.Helper()
	folder := t.TempDir()
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-o", filepath.Join(folder, "teller", "bootstrap"), "./testdata/time/functions/teller")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return start(t, func(c *Config) {
		c.Template, c.BuildDir, c.TimeScale, c.StreamPoll = "testdata/time/template.yaml", folder, scale, 0
		if change != nil {
			change(c)
		}
	})
}

// told is one line of the teller.
type told struct {
	kind      string
	now, then time.Time
}

// next waits for the next line of a kind.
func (l lines) next(t *testing.T, kind string) told {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line := <-l:
			fields := strings.Fields(strings.TrimPrefix(line, "teller: "))
			if len(fields) != 3 || fields[0] != kind {
				continue
			}
			return told{fields[0], parse(t, fields[1]), parse(t, fields[2])}
		case <-timeout:
			t.Fatalf("nothing of %s was told", kind)
		}
	}
}

func parse(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// A week passes in seconds, with all its occurrences, each at its time.
func TestAWeekOfSchedules(t *testing.T) {
	machine := time.Now()
	s, written := startScaled(t, clock.MaxScale, nil)
	began := s.clock.Read().Now
	seen := map[string][]told{}
	for end := began.Add(7 * 24 * time.Hour); ; {
		line := <-written
		fields := strings.Fields(strings.TrimPrefix(line, "teller: "))
		if len(fields) != 3 {
			t.Fatalf("the function wrote %q", line)
		}
		one := told{fields[0], parse(t, fields[1]), parse(t, fields[2])}
		seen[one.kind] = append(seen[one.kind], one)
		if one.now.After(end) {
			break
		}
	}
	t.Logf("a week took %v", time.Since(machine))
	if n := len(seen["newsletter"]); n != 1 && n != 2 {
		t.Errorf("%d newsletters in a week", n)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range seen["newsletter"] {
		if at := one.then.In(berlin); at.Weekday() != time.Monday || at.Hour() != 9 || at.Minute() != 0 {
			t.Errorf("a newsletter at %v", at)
		}
	}
	if n := len(seen["trending"]); n < 7*24*12 || n > 7*24*12+2 {
		t.Errorf("%d times trending, want %d", n, 7*24*12)
	}
	late := 0
	for i, one := range seen["trending"] {
		if one.now.Before(one.then) {
			t.Errorf("the occurrence of %v began at %v", one.then, one.now)
		}
		if one.now.Sub(one.then) > 2*time.Second {
			late++
		}
		if i > 0 && one.then.Sub(seen["trending"][i-1].then) != 5*time.Minute {
			t.Errorf("after %v came %v", seen["trending"][i-1].then, one.then)
		}
	}
	if late > 20 { // a machine with other things to do
		t.Errorf("%d occurrences were more than two seconds late", late)
	}
}

// What works under a timeout of a minute has a minute, at any scale.
func TestWorkHasItsTime(t *testing.T) {
	s, written := startScaled(t, 600, nil)
	send := func(body string, delay int32) {
		t.Helper()
		_, err := s.clients.sqs.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(s.queues[0].url), MessageBody: &body, DelaySeconds: delay})
		if err != nil {
			t.Fatal(err)
		}
	}
	worked := func() time.Duration {
		t.Helper()
		for line := range written {
			if line == "teller: out of time" {
				t.Fatal(line)
			}
			if ms, ok := strings.CutPrefix(line, "teller: worked "); ok {
				n, err := strconv.Atoi(ms)
				if err != nil {
					t.Fatal(err)
				}
				return time.Duration(n) * time.Millisecond
			}
		}
		panic("never closed")
	}
	t.Run("message", func(t *testing.T) {
		for range 5 {
			send("200", 0)
			// At the other pace it would be two minutes.
			if took := worked(); took < 200*time.Millisecond || took > 30*time.Second {
				t.Errorf("200 ms of work took %v of the stack's time", took)
			}
		}
	})
	t.Run("request", func(t *testing.T) {
		response, err := http.Post(s.HTTPURL()+"/work", "text/plain", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if ms, err := strconv.Atoi(string(body)); err != nil || ms < 200 || ms > 30_000 {
			t.Errorf("200 ms of work took %s ms of the stack's time", body)
		}
	})
	t.Run("delay", func(t *testing.T) {
		send("0", 600)
		machine := time.Now()
		got := written.next(t, "message")
		if waited := got.now.Sub(got.then); waited < 10*time.Minute || waited > 10*time.Minute+30*time.Second {
			t.Errorf("a delay of ten minutes took %v", waited)
		}
		if took := time.Since(machine); took > 5*time.Minute {
			t.Errorf("ten minutes took %v of the machine's time", took)
		}
	})
	t.Run("visibility", func(t *testing.T) {
		send("again", 0)
		first, second := written.next(t, "message"), written.next(t, "message")
		// It counts from the receipt, which was a moment before the function began.
		if waited := second.now.Sub(first.now); waited < 6*time.Minute-30*time.Second || waited > 6*time.Minute+30*time.Second {
			t.Errorf("a message came again after %v, want its visibility timeout of 6m", waited)
		}
	})
	t.Run("stream", func(t *testing.T) {
		for i := range 10 {
			put(t, s, fmt.Sprint(i))
			got := written.next(t, "record")
			if waited := got.now.Sub(got.then); waited > 30*time.Second { // its time is told by the second
				t.Errorf("a record waited for %v", waited)
			}
		}
	})
}
