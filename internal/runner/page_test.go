package runner

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/e2e/browser"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A filled is a stack in which everything stands that its page can show.
func filled(t *testing.T) *Stack {
	t.Helper()
	s, _ := start(t, func(c *Config) {
		c.Template, c.TimeScale, c.WithoutSources, c.Tasks = "testdata/page/template.yaml", 600, true, []job.Defined{feeds}
	})
	jobs, err := store.New(store.Config{Driver: dynamo.New(s.clients.dynamodb, "Jobs"), Now: s.config.Now})
	if err != nil {
		t.Fatal(err)
	}
	event := func(name, key string) store.NewEvent {
		id, err := jobs.NewID()
		if err != nil {
			t.Fatal(err)
		}
		e := store.NewEvent{ID: string(id), Name: name, Version: 1, Topic: "recipe-events", Key: key, Data: []byte(`{}`)}
		if err := jobs.Transact(t.Context(), jobs.EventWrite(e)); err != nil {
			t.Fatal(err)
		}
		return e
	}
	event("recipe.published", "recipe/01JM8W3V5Q8Z")
	refused, err := jobs.GetEvent(t.Context(), event("recipe.edited", ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := jobs.EventRefused(t.Context(), refused, errors.New("the message is too long: <b>262 144</b> bytes at most")); err != nil {
		t.Fatal(err)
	}
	declare(t, s, jobs)
	send(t, s, "one that waits")
	paused := fmt.Sprintf(`{"from":"search","share":1,"asked_at":%[1]q,"begun_at":%[1]q,"until":%q}`, s.config.Now().Format(time.RFC3339), s.config.Now().Add(9000*time.Hour).Format(time.RFC3339))
	if ok, err := jobs.SetMark(t.Context(), "scaling#loan#search", "", paused); err != nil || !ok {
		t.Fatal(ok, err)
	}
	return s
}

// feeds is the task of a queue in which 120 jobs may wait.
var feeds = job.Define[struct{}]("feeds.update", job.Policy{Queue: job.Queue{Name: "feeds", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute}})

// declare declares two periodic jobs, one of which is paused, and enqueues a job.
func declare(t *testing.T, s *Stack, jobs *store.Jobs) {
	t.Helper()
	task := job.Define[struct{}]("newsletter.issue", job.Policy{Queue: job.Queue{Name: "newsletter", PeakArrivals: job.PerSecond(1), ServiceTime: time.Second, LongestWait: time.Hour}, MaxAttempts: 3, Timeout: time.Minute})
	made, err := producer.New(producer.Config{Jobs: jobs, Now: s.config.Now}, task)
	if err != nil {
		t.Fatal(err)
	}
	request := func(time.Time) job.Request { return task.With(struct{}{}) }
	p, err := periodic.New(periodic.Config{Jobs: jobs, Producer: made, Now: s.config.Now},
		periodic.Job{Name: "newsletter", Expression: "cron(0 9 ? * MON *)", Zone: "Europe/Berlin", Request: request},
		periodic.Job{Name: "trending", Expression: "rate(5 minutes)", Request: request})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Check(t.Context()), p.Pause(t.Context(), "trending")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.RunNow(t.Context(), "newsletter"); err != nil {
		t.Fatal(err)
	}
}

// The page shows what stands in the stack, on every screen, by day and by night.
func TestThePageOfAStack(t *testing.T) {
	s := filled(t)
	var chromium browser.Browser
	t.Cleanup(func() {
		if err := chromium.Close(); err != nil {
			t.Error(err)
		}
	})
	page := chromium.Open(t, 1280, 900)
	page.Visit(s.HTTPURL() + "/_nightshift/")
	for selector, wants := range map[string][]string{
		"#summary":   {"search is paused; all others take new jobs and are worked on."},
		"#queues":    {"search", "1 of 120", "not known (1 min at most)", "open", "paused, until ", "feeds", "no bounds", "at work"},
		"#messages":  {"Search", "Feeds"},
		"#jobs":      {"queued"},
		"#outbox":    {"recipe.published", "recipe/01JM8W3V5Q8Z", "waiting", "refused", "<b>262 144</b>"},
		"#topics":    {"recipe-events", "Search", "Feeds", "recipe.deleted"},
		"#periodic":  {"newsletter", "cron(0 9 ? * MON *) Europe/Berlin", "in ", "trending", "paused"},
		"#schedules": {"cron(0 9 ? * MON *) Europe/Berlin", "rate(5 minutes)", "disabled"},
		"#functions": {"echo"},
		"#services":  {"no services"},
		"#mappings":  {"arn:aws:sqs:us-east-1:000000000000:Search"},
		"#pace":      {"The stack's clock is ", " ahead of this device's: with --time-scale", "Nobody works, so that time passes 600 times as fast."},
		"header":     {"Application", "Mail", s.AWSURL()},
	} {
		for _, want := range wants {
			page.Says(selector, want)
		}
	}
	before := page.Text("#now")
	page.Wait(fmt.Sprintf("document.querySelector('#now').textContent !== %q", before))
	if !strings.HasSuffix(before, " UTC") || page.Text("#problem") != "" {
		t.Errorf("the clock shows %q; %s", before, page.Text("#problem"))
	}
	for said, clock := range map[string]string{
		"": `0, {pace: 1, scale: 1}`,
		"The stack's clock is 5 min behind this device's: one of the two is wrong. Times on this page are the stack's.": `-3e5, {pace: 1, scale: 1}`,
		"Somebody works, so that time passes as usual; it passes 600 times as fast when nobody does.":                   `0, {pace: 1, scale: 600}`,
	} {
		if got := browser.Eval[string](page, "import('./page.js').then((m) => m.aboutTime("+clock+"))"); got != said {
			t.Errorf("of %s it says %q", clock, got)
		}
	}
	for _, width := range []int{1280, 320} {
		page.Resize(width, 800)
		if wide := browser.Eval[int](page, "document.documentElement.scrollWidth"); wide > width {
			t.Errorf("the page is %d wide on a screen of %d", wide, width)
		}
		for _, dark := range []bool{false, true} {
			page.Dark(dark)
			page.Screenshot(fmt.Sprintf("stack-%d-dark-%v", width, dark))
		}
	}
}
