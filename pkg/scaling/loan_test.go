package scaling_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/mapping"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/scaling"
)

const all = "photos, newsletter, search"

func (w *world) wantAll(want string) {
	w.t.Helper()
	w.want(want, strings.Split(all, ", ")...)
}

func TestALoanIsGivenAndTakenBackAtItsEnd(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.wantAll("photos 10, newsletter 20, search 3")
	w.busy("search")
	w.lend("newsletter", "search", 0, 30*time.Minute)
	w.minutes(1)
	w.wantAll("photos 10, newsletter paused, search 8") // 20 workers are 5 invocations of 4
	w.minutes(28)
	w.wantAll("photos 10, newsletter paused, search 8")
	w.minutes(1)
	w.wantAll("photos 10, newsletter 20, search 3")
	loans, err := w.desk.Loans(t.Context())
	if err != nil || len(loans) != 1 || loans[0].Why != "its time is over" || !loans[0].Over(w.now) {
		t.Errorf("%+v, %v", loans, err)
	}
}

func TestAShareIsLent(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.busy("search")
	w.lend("newsletter", "search", 0.5, time.Hour)
	w.minutes(1)
	w.wantAll("photos 10, newsletter 10, search 5") // 10 workers are 2 invocations of 4
}

// What the borrower may have is bounded by its declaration, and by what was freed.
func TestALoanKeepsToTheBounds(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.depth["photos"] = queue.Depth{Visible: 4000} // needs all it may have
	w.minutes(1)
	w.wantAll("photos 40, newsletter 20, search 3")
	w.lend("newsletter", "photos", 1, time.Hour)
	w.minutes(1)
	w.wantAll("photos 40, newsletter paused, search 3")
	w.lend("search", "photos", 1, time.Hour)
	w.depth["photos"] = queue.Depth{Visible: 300}
	w.minutes(60)
	if m := w.maps["photos"]; m.Concurrency > 40 {
		t.Errorf("photos has %d", m.Concurrency)
	}
}

func TestALoanEndsWhenTheBorrowerIsShort(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.busy("search")
	w.lend("newsletter", "search", 1, time.Hour)
	w.minutes(5)
	w.wantAll("photos 10, newsletter paused, search 8")
	w.depth["search"] = queue.Depth{}
	w.minutes(2)
	w.busy("search") // a count that dipped
	w.minutes(3)
	w.wantAll("photos 10, newsletter paused, search 8")
	w.depth["search"] = queue.Depth{}
	w.minutes(3)
	w.wantAll("photos 10, newsletter paused, search 8")
	w.ages["search"] = 0
	w.minutes(1)
	w.wantAll("photos 10, newsletter 20, search 3")
}

func TestAnOldJobKeepsALoan(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.ages["search"] = 5 * time.Minute
	w.lend("newsletter", "search", 1, time.Hour)
	w.minutes(20)
	w.wantAll("photos 10, newsletter paused, search 8")
}

func TestWhatIsAskedForIsGivenBack(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.busy("search")
	w.lend("newsletter", "search", 1, time.Hour)
	w.minutes(2)
	if _, err := w.desk.Return(t.Context(), "newsletter"); err != nil {
		t.Fatal(err)
	}
	w.minutes(1)
	w.wantAll("photos 10, newsletter 20, search 3")
	for _, from := range []string{"newsletter", "photos"} {
		if _, err := w.desk.Return(t.Context(), from); !errors.Is(err, scaling.ErrNone) {
			t.Errorf("%s: %v", from, err)
		}
	}
	w.lend("newsletter", "search", 1, time.Hour) // and lent again
	w.minutes(1)
	w.wantAll("photos 10, newsletter paused, search 8")
}

func TestAPauseEndsByItself(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.lend("newsletter", "", 1, 10*time.Minute)
	w.minutes(9)
	w.wantAll("photos 10, newsletter paused, search 3")
	w.minutes(1)
	w.wantAll("photos 10, newsletter 20, search 3")
}

func TestLoansThatMakeNoSense(t *testing.T) {
	w := newWorld(t)
	ask := func(from, to string, share float64, lasts time.Duration) string {
		if _, err := w.desk.Lend(t.Context(), from, to, share, lasts); err != nil {
			return err.Error()
		}
		return ""
	}
	if why := ask("newsletter", "photos", 1, time.Hour); !strings.Contains(why, "has not run yet") {
		t.Error(why)
	}
	w.minutes(1)
	w.lend("newsletter", "photos", 1, time.Hour)
	for _, c := range []struct {
		from, to string
		share    float64
		lasts    time.Duration
		why      string
	}{
		{"news", "photos", 1, time.Hour, `there is no such queue: "news": use one of newsletter, photos, search, videos`},
		{"search", "foto", 1, time.Hour, `there is no such queue: "foto"`},
		{"", "photos", 1, time.Hour, `there is no such queue: ""`},
		{"videos", "photos", 1, time.Hour, "videos can't lend to photos: processes of its own poll the queue videos"},
		{"videos", "", 1, time.Hour, "videos can't be paused: processes of its own poll the queue videos, and no function works on it; stop or scale its service instead"},
		{"search", "videos", 1, time.Hour, "search can't lend to videos: processes of its own poll the queue videos"},
		{"search", "search", 1, time.Hour, "search can't lend to itself: name two queues, or pause it"},
		{"search", "photos", 1, 0, "more than nothing"},
		{"search", "", 1, 73 * time.Hour, "search can't be paused for 73h0m0s: ask for more than nothing and at most 72h0m0s"},
		{"search", "photos", 1.5, time.Hour, "a share of 1.5"},
		{"search", "photos", -1, time.Hour, "a share of -1"},
		{"search", "photos", 0.1, time.Hour, "search can't lend 10 % of its workers to photos: of its concurrency of 3 that is less than one invocation; lend more"},
		{"newsletter", "search", 1, time.Hour, "newsletter can't lend to search: newsletter lends to photos until 20"},
		{"newsletter", "", 1, time.Hour, " already; end that first: nightshift queues lend newsletter --give-back"},
		{"photos", "newsletter", 1, time.Hour, "photos can't lend to newsletter while it borrows: newsletter lends to photos until"},
		{"photos", "", 1, time.Hour, "photos can't be paused while it borrows: newsletter lends to photos until"},
		{"search", "newsletter", 1, time.Hour, "search can't lend to newsletter: newsletter lends to photos until"},
	} {
		if why := ask(c.from, c.to, c.share, c.lasts); !strings.Contains(why, c.why) {
			t.Errorf("%+v: %q", c, why)
		}
	}
	w.lend("search", "", 1, time.Hour)
	if why := ask("search", "", 1, time.Hour); !strings.Contains(why, "search can't be paused: search is paused until") || !strings.Contains(why, "let it go on first: nightshift queues resume search") {
		t.Error(why)
	}
}

// Who asks back what was not lent is told what is.
func TestNothingToReturn(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.lend("newsletter", "photos", 1, time.Hour)
	for queue, c := range map[string]struct {
		kind error
		why  string
	}{
		"search": {scaling.ErrNone, `"search" is not paused and lends nothing: there is nothing to be given back`},
		"photos": {scaling.ErrNone, "photos is not paused and lends nothing: it borrows from newsletter; end that first: nightshift queues lend newsletter --give-back"},
		"foto":   {scaling.ErrUnknown, `there is no such queue: "foto": use one of`},
	} {
		if _, err := w.desk.Return(t.Context(), queue); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", queue, err)
		}
	}
	if _, err := w.desk.Return(t.Context(), "newsletter"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.desk.Return(t.Context(), "newsletter"); !errors.Is(err, scaling.ErrNone) || !strings.Contains(err.Error(), "newsletter goes on within a minute") {
		t.Error(err)
	}
}

// Two operators who lend at once: the function sees both, and the later one ends.
func TestTheFunctionEndsWhatCanNotBe(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.busy("search")
	w.lend("newsletter", "search", 1, time.Hour)
	for name, text := range map[string]string{
		"search": fmt.Sprintf(`{"from":"search","to":"photos","share":1,"asked_at":%q,"until":%q}`, w.now.Add(time.Second).Format(time.RFC3339), w.now.Add(time.Hour).Format(time.RFC3339)),
		"gone":   fmt.Sprintf(`{"from":"gone","to":"photos","share":1,"asked_at":%q,"until":%q}`, w.now.Format(time.RFC3339), w.now.Add(time.Hour).Format(time.RFC3339)),
		"photos": fmt.Sprintf(`{"from":"photos","share":1,"asked_at":%q,"until":%q}`, w.now.Add(900*time.Hour).Format(time.RFC3339), w.now.Add(950*time.Hour).Format(time.RFC3339)),
	} {
		if ok, err := w.jobs().SetMark(t.Context(), "scaling#loan#"+name, "", text); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	w.minutes(1)
	w.wantAll("photos 10, newsletter paused, search 8")
	loans, err := w.desk.Loans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range loans {
		if l.From != "newsletter" && l.Why == "" {
			t.Errorf("%+v lasts", l)
		}
	}
}

// The clock of whoever asks may be some minutes ahead of the function's.
func TestTheLongestLoanOfAClockAhead(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.now = w.now.Add(5 * time.Minute)
	w.lend("newsletter", "", 1, scaling.LongestLoan)
	w.now = w.now.Add(-5 * time.Minute)
	w.minutes(1)
	w.want("newsletter paused", "newsletter")
}

// A mapping that is being changed, or a Lambda that is asked too much, is tried again;
// only after Overdue is it an error.
func TestBusyMappingsAreTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.busy("search")
	w.maps["newsletter"].busy = fmt.Errorf("%w: too many requests", mapping.ErrBusy)
	w.lend("newsletter", "search", 1, time.Hour)
	w.minutes(9)
	w.wantAll("photos 10, newsletter 20, search 3") // nothing is gained before it is freed
	w.now = w.now.Add(3 * time.Minute)
	if err := w.run(); !errors.Is(err, mapping.ErrBusy) {
		t.Errorf("after %v: %v", scaling.Overdue, err)
	}
	w.maps["newsletter"].busy = nil
	w.minutes(1)
	w.wantAll("photos 10, newsletter paused, search 8")
}

// A mapping that does not follow is an error also where it is wanted elsewhere each time.
func TestAMappingThatNeverFollows(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.maps["photos"].busy = fmt.Errorf("%w: it is being updated", mapping.ErrBusy)
	var err error
	for minute := range 13 {
		w.depth["photos"] = queue.Depth{Visible: 200 * (minute + 1)}
		w.now = w.now.Add(time.Minute)
		if err = w.run(); err != nil && minute < 10 {
			t.Fatalf("in minute %d: %v", minute, err)
		}
	}
	if !errors.Is(err, mapping.ErrBusy) {
		t.Errorf("after 13 minutes: %v", err)
	}
	w.maps["photos"].busy = nil
	w.minutes(1)
	w.maps["photos"].busy = mapping.ErrBusy
	w.depth["photos"] = queue.Depth{Visible: 2900}
	w.minutes(1) // late anew
}

// A mapping that somebody deleted is reported, and keeps nobody from anything.
func TestAMappingThatIsGone(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.maps["newsletter"].gone = true
	w.busy("search")
	w.lend("newsletter", "search", 1, time.Hour)
	w.now = w.now.Add(time.Minute)
	if err := w.run(); !errors.Is(err, mapping.ErrGone) || !strings.Contains(err.Error(), "newsletter") {
		t.Error(err)
	}
	w.want("photos 10, search 8", "photos", "search")
}

// A mapping that others disabled stays so.
func TestOthersPausesAreLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.maps["photos"].Enabled = false
	w.depth["photos"] = queue.Depth{Visible: 4000}
	w.minutes(5)
	w.wantAll("photos paused, newsletter 20, search 3")
}

// What a deployment sets back is set again while it is meant, and left alone else.
func TestDrift(t *testing.T) {
	w := newWorld(t)
	w.minutes(1)
	w.busy("search")
	w.lend("newsletter", "search", 1, 10*time.Minute)
	w.minutes(2)
	w.maps["newsletter"].Enabled, w.maps["search"].Concurrency = true, 3
	w.minutes(1)
	w.wantAll("photos 10, newsletter paused, search 8")
	w.minutes(10)
	w.wantAll("photos 10, newsletter 20, search 3")
	w.maps["newsletter"].Enabled = false // a call that was thought lost
	w.minutes(1)
	w.wantAll("photos 10, newsletter 20, search 3")
	w.minutes(70)
	sets := w.maps["search"].sets
	w.maps["search"].Concurrency = 7 // by hand
	w.minutes(5)
	if w.maps["search"].sets != sets {
		t.Error("what somebody set by hand was set back")
	}
}
