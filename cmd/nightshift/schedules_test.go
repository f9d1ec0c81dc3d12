package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/producer"
)

type weekly struct {
	Monday time.Time `json:"monday"`
}

// declare makes the periodic jobs of the stack, as its function has them.
func (d *deadStack) declare() *periodic.Periodic {
	d.t.Helper()
	notes := job.Queue{Name: "notes", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute}
	task := job.Define[weekly]("weekly.send", job.Policy{Queue: notes})
	made, err := producer.New(producer.Config{Jobs: d.jobs}, task)
	if err != nil {
		d.t.Fatal(err)
	}
	request := func(at time.Time) job.Request { return task.With(weekly{at}) }
	p, err := periodic.New(periodic.Config{Jobs: d.jobs, Producer: made},
		periodic.Job{Name: "newsletter", Expression: "cron(0 9 ? * MON *)", Zone: "Europe/Berlin", Request: request, Overlap: periodic.LeaveOut},
		periodic.Job{Name: "trending", Expression: "rate(1 minutes)", Request: request})
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

func TestSchedulesOfARunningStack(t *testing.T) {
	d := startDeadStack(t)
	d.want(d.run("schedules", "list"), 0, "", "no periodic jobs")
	p := d.declare()
	if err := p.Check(t.Context()); err != nil {
		t.Fatal(err)
	}

	listed := d.run("schedules", "list")
	for _, want := range []string{"NEXT", "newsletter  cron(0 9 ? * MON *)  Europe/Berlin  on", "trending    rate(1 minutes)      UTC            on"} {
		d.want(listed, 0, want, "")
	}
	var line scheduleDetails
	asJSON := d.run("schedules", "list", "--json")
	if err := json.Unmarshal([]byte(strings.SplitN(asJSON.out, "\n", 2)[0]), &line); err != nil || line.Name != "newsletter" || line.Next == nil || line.Next.UTC().Hour() > 8 || line.State != "on" {
		t.Errorf("%v: %s", err, asJSON.out)
	}

	d.want(d.run("schedules", "pause", "newsletter", "nothing"), 1, "paused     newsletter\nrefused    nothing  there is no such periodic job", "")
	d.want(d.run("schedules", "list"), 0, "paused ", "")
	d.want(d.run("schedules", "resume", "newsletter"), 0, "resumed    newsletter  next ", "")

	d.want(d.run("schedules", "run", "newsletter", "--wait", "0s"), 0, "asked      newsletter  the function has not looked yet", "")
	if err := p.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, err := p.List(t.Context())
	if err != nil || status[0].Ran == nil {
		t.Fatalf("%+v, %v", status, err)
	}
	first := string(status[0].Ran.Job)

	answered := make(chan result, 1)
	go func() { answered <- d.run("schedules", "run", "newsletter") }()
	for asked := false; !asked; {
		all, err := p.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		asked = !all[0].Asked.IsZero()
	}
	if err := p.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.want(<-answered, 0, "joined     newsletter  "+first+"  it is unfinished", "")
}

func TestSchedulesMisuse(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"schedules"}, "list, pause, resume or run"},
		{[]string{"schedules", "stop"}, `there is no command "stop"`},
		{[]string{"schedules", "list", "newsletter"}, "it takes no arguments"},
		{[]string{"schedules", "run"}, "it takes the names of periodic jobs"},
		{[]string{"schedules", "run", "x", "--wait", "soon"}, `invalid value "soon" for flag -wait`},
	} {
		if got := nightshift(t, "", c.args...); got.code != exitMisuse || !strings.Contains(got.err, c.says) || got.out != "" {
			t.Errorf("%q: %+v", c.args, got)
		}
	}
}

func TestStatesOfSchedules(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	on := periodic.Status{Name: "a", Expression: "rate(1 day)", Zone: "UTC", Next: now.Add(time.Hour), Seen: now.Add(-time.Hour)}
	for want, change := range map[string]func(*periodic.Status){
		"on":     func(*periodic.Status) {},
		"paused": func(s *periodic.Status) { s.Paused = true },
		"new":    func(s *periodic.Status) { s.Expression, s.Seen = "", time.Time{} },
		"over":   func(s *periodic.Status) { s.Next = time.Time{} },
		"gone":   func(s *periodic.Status) { s.Seen = now.Add(-4 * time.Hour) },
	} {
		s := on
		change(&s)
		if got := detailsOfSchedule(s, now); got.State != want {
			t.Errorf("%s: %+v", want, got)
		}
	}
	for want, ran := range map[string]periodic.Run{
		"enqueued": {Job: "j"}, "joined": {Job: "j", Joined: true}, refused: {Refused: "because"},
	} {
		if got := ranOutcome(ran); got.Status != want {
			t.Errorf("%s: %+v", want, got)
		}
	}
}
