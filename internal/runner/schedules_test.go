package runner

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/scheduler"
	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

// A program makes a schedule by the API of the stack's endpoint; it fires into a
// function and a queue of the template.
func TestSchedulesOfPrograms(t *testing.T) {
	s, written := start(t, nil)
	for name, arn := range map[string]string{"function": s.function("tail").arn, "queue": s.queues[1].arn} {
		body := fmt.Sprintf(`{"ScheduleExpression":"at(%s)","FlexibleTimeWindow":{"Mode":"OFF"},"ActionAfterCompletion":"DELETE",
			"Target":{"Arn":%q,"RoleArn":"arn:aws:iam::000000000000:role/r","Input":"{\"tick\":true}"}}`, time.Now().UTC().Add(6*time.Second).Format("2006-01-02T15:04:05"), arn)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.AWSURL()+"/schedules/"+name, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20261123/us-east-1/scheduler/aws4_request, SignedHeaders=host, Signature=0")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close() // nothing is read of it
		if response.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d", name, response.StatusCode)
		}
	}
	wanted := map[string]int{`worker: message {"tick":true}`: 1, "tail: tick": 2} // the template's own tick, and this one
	for timeout := time.After(patience); wanted["tail: tick"] > 0 || wanted[`worker: message {"tick":true}`] > 0; {
		select {
		case line := <-written:
			wanted[line]--
		case <-timeout:
			t.Fatalf("still wanted: %v", wanted)
		}
	}
}

func TestScheduleSettings(t *testing.T) {
	s, _ := start(t, func(c *Config) { c.WithoutSources = true })
	queue := s.queues[1].arn
	for name, c := range map[string]struct {
		change func(*samtemplate.Schedule)
		says   string
	}{
		"good":         {func(*samtemplate.Schedule) {}, ""},
		"disabled":     {func(d *samtemplate.Schedule) { d.Disabled, d.Expression = true, "nonsense" }, ""},
		"bounded":      {func(d *samtemplate.Schedule) { d.Start, d.End = "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z" }, ""},
		"letters":      {func(d *samtemplate.Schedule) { d.DeadLetters = queue }, ""},
		"a rule":       {func(d *samtemplate.Schedule) { d.Rule, d.Expression = true, "rate(1 minutes)" }, "takes the singular"},
		"bad cron":     {func(d *samtemplate.Schedule) { d.Expression = "cron(0 9 * * MON *)" }, "day of month"},
		"bad zone":     {func(d *samtemplate.Schedule) { d.Timezone = "Mars/Base" }, "IANA"},
		"bad start":    {func(d *samtemplate.Schedule) { d.Start = "yesterday" }, "yyyy-mm-dd"},
		"no target":    {func(d *samtemplate.Schedule) { d.Function = "arn:aws:sqs:us-east-1:000000000000:none" }, "no function or queue"},
		"no such DLQ":  {func(d *samtemplate.Schedule) { d.DeadLetters = "arn:aws:sqs:us-east-1:000000000000:none" }, "no dead-letter queue"},
		"its function": {func(d *samtemplate.Schedule) { d.Function = s.function("tail").arn }, ""},
	} {
		declared := samtemplate.Schedule{Name: name, Expression: "cron(0 9 ? * MON *)", Timezone: "Europe/Berlin", Function: queue}
		c.change(&declared)
		run, err := s.schedule(declared)
		if c.says == "" && (err != nil || (run == nil) != declared.Disabled) || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A stack that comes back within the minute does not fire that minute again.
func TestScheduleGoesOnAfterARestart(t *testing.T) {
	data := t.TempDir()
	c, written := config(func(c *Config) { c.DataDir = data })
	s, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	written.await(t, "tail: tick")
	ticked := time.Now()
	eventually(t, func() bool { // the invocation comes to its end
		state, err := s.folder.Load(scheduler.Kind, "TailFunctionTick")
		return err == nil && strings.Contains(state, `"last"`) && !strings.Contains(state, `"pending"`)
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, written = start(t, func(c *Config) { c.DataDir = data })
	send(t, s, "after the start")
	for timeout := time.After(patience); ; {
		select {
		case line := <-written:
			if line == "worker: message after the start" {
				return
			}
			if line == "tail: tick" && time.Since(ticked) < 55*time.Second {
				t.Fatal("it ticked twice in a minute")
			}
		case <-timeout:
			t.Fatal("the message did not arrive")
		}
	}
}
