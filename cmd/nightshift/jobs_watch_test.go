package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func TestMeasures(t *testing.T) {
	for progress, want := range map[string]string{
		`{"done":2,"of":5}`: "40% (2 of 5)", `{"done":7,"of":5}`: "100% (7 of 5)", `{"done":0,"of":5}`: "0% (0 of 5)", `{"done":12345678,"of":123456780}`: "10% (12345678 of 123456780)",
		`{"done":999,"of":1000}`: "99% (999 of 1000)", `{"percent":29}`: "29%", `{"percent":1}`: "1%", `0.29`: "29%", `0`: "0%", `1`: "100%", `1.5`: "1%", `40`: "40%", `100`: "100%", `0.999`: "99%",
		`{"done":1,"of":0}`: `{"done":1,"of":0}`, `{"done":-1,"of":2}`: `{"done":-1,"of":2}`, `{"done":"1","of":2}`: `{"done":"1","of":2}`, `{"percent":101}`: `{"percent":101}`,
		`101`: "101", `-1`: "-1", `1e999`: "1e999", `{"step" : "zip"}`: `{"step":"zip"}`, `null`: "null", `[1]`: "[1]", ``: "", `{`: "{", `0.5 x`: "0.5 x",
	} {
		if got := measureOf([]byte(progress)).String(); got != want {
			t.Errorf("%s: %q, want %q", progress, got, want)
		}
	}
}

func FuzzMeasure(f *testing.F) {
	for _, text := range []string{`{"done":2,"of":5}`, `{"percent":40}`, `0.4`, `40`, `{"done":1e308,"of":1e-308}`, `{"step":"日本"}`, "\x1b"} {
		f.Add([]byte(text), 80)
	}
	f.Fuzz(func(t *testing.T, progress []byte, width int) {
		m := measureOf(progress)
		if m.known && !(m.share >= 0 && m.share <= 1) {
			t.Errorf("%q is %v", progress, m.share)
		}
		l := lookOf("", "")
		l.width = max(1, width%300)
		rec := record(lifecycle.Running)
		rec.Progress = progress
		if line := l.line(&watched{id: string(rec.ID), rec: rec}, 1, time.Now()); cells(line) > l.width || strings.ContainsAny(line, "\x1b\n") {
			t.Errorf("%q at %d: %q", progress, l.width, line)
		}
	})
}

func TestLines(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	id := "01hz7vq3k8m5n9p2r4s6t8w0xy"
	of := func(state lifecycle.State, change func(*store.Record)) *watched {
		rec := record(state)
		rec.Created, rec.Started, rec.Finished, rec.MaxAttempts = now.Add(-90*time.Second), now.Add(-12*time.Second), now, 3
		if change != nil {
			change(&rec)
		}
		return &watched{id: id, rec: rec, over: state.Final()}
	}
	with := func(progress string) func(*store.Record) {
		return func(r *store.Record) { r.Progress = []byte(progress) }
	}
	for _, c := range []struct {
		name    string
		w       *watched
		columns string
		want    string
	}{
		{"a bar", of(lifecycle.Running, with(`{"done":2,"of":5}`)), "110", id + "  note.write        running    ██████████████░░░░░░░░░░░░░░░░░░░░░  40%  2 of 5  12s"},
		{"at 80", of(lifecycle.Running, with(`{"percent":50}`)), "", "…s6t8w0xy  note.write        running    ███████████████░░░░░░░░░░░░░░░  50%  12s"},
		{"a bar and words at 80", of(lifecycle.Running, with(`{"done":200,"of":500}`)), "", "…s6t8w0xy  note.write        running    ███████░░░░░░░░░░░  40%  200 of 500  12s"},
		{"a bar beside a whole id", of(lifecycle.Running, with(`{"done":500,"of":1000}`)), "92", id + "  note.write        running    ██████░░░░░░  50%  500 of 1000  12s"},
		{"no room for a bar", of(lifecycle.Running, with(`{"done":20000,"of":50000}`)), "70", "…s6t8w0xy  note.write        running    40%  20000 of 50000  12s"},
		{"narrow", of(lifecycle.Running, with(`0.5`)), "60", "…s6t8w0xy  note.write        running    █████░░░░░  50%  12s"},
		{"very narrow", of(lifecycle.Running, with(`0.5`)), "20", "…s6t8w0xy  note.wri…"},
		{"no measure", of(lifecycle.Running, with(`{"step":"zip"}`)), "100", id + `  note.write        running    ⠙ {"step":"zip"}  12s`},
		{"wide characters", of(lifecycle.Running, with(`"日本日本日本日本"`)), "57", `…s6t8w0xy  note.write        running    ⠙ "日本日本日本…`},
		{"nothing yet", of(lifecycle.Running, nil), "", "…s6t8w0xy  note.write        running    ⠙   12s"},
		{"queued", of(lifecycle.Queued, nil), "", "…s6t8w0xy  note.write        queued     made 1m 30s ago"},
		{"scheduled", of(lifecycle.Scheduled, func(r *store.Record) { r.NotBefore = now.Add(time.Hour) }), "", "…s6t8w0xy  note.write        scheduled  due in 1h"},
		{"tried again", of(lifecycle.Queued, func(r *store.Record) {
			r.NotBefore, r.Attempt, r.Error = now.Add(time.Minute), 2, &store.JobError{Code: "error", Message: "paper\x1bjam"}
		}), "200", id + "  note.write        queued     due in 1m, attempt 2 of 3: paper jam"},
		{"done", of(lifecycle.Done, with(`0.5`)), "", "…s6t8w0xy  note.write        done       after 1m 30s"},
		{"dead", of(lifecycle.Dead, func(r *store.Record) { r.Attempt, r.Error = 3, &store.JobError{Message: "boom"} }), "100", id + "  note.write        dead       after 1m 30s, attempt 3 of 3: boom"},
		{"gone", &watched{id: id, over: true}, "", "…s6t8w0xy  -                 gone       there is no such job"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := lookOf(c.columns, "en_GB.UTF-8")
			if got := l.line(c.w, 1, now); got != c.want || cells(got) > l.width {
				t.Errorf("\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	if got := lookOf("x", "C").line(of(lifecycle.Running, with(`0.5`)), 1, now); !strings.Contains(got, " ###############--------------- ") {
		t.Errorf("without UTF-8: %q", got)
	}
	if got := shortID("notes.Zm9v.01hz7vq3k8m5n9p2r4s6t8w0xy", 26); got != "…1hz7vq3k8m5n9p2r4s6t8w0xy" {
		t.Errorf("%q", got)
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"e\u0301e\u0301", 2, "e\u0301e\u0301"}, {"abc", 0, ""}, {"abc", 1, "…"}} {
		if got := fit(c.text, c.most); got != c.want || cells(got) > c.most {
			t.Errorf("fit(%q, %d) = %q", c.text, c.most, got)
		}
	}
}

// A story is what a job is each time that it is read, and when that was.
type story struct {
	mu      sync.Mutex
	records []store.Record
	err     error
	read    []time.Duration
	start   time.Time
}

func (s *story) find(context.Context, string) (store.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.read = append(s.read, time.Since(s.start)); s.err != nil {
		return store.Record{}, s.err
	}
	rec := s.records[0]
	if len(s.records) > 1 {
		s.records = s.records[1:]
	}
	return rec, nil
}

func running(progress string) store.Record {
	rec := record(lifecycle.Running)
	rec.Progress = []byte(progress)
	rec.Started = time.Now()
	return rec
}

func TestWatchReadsMoreSeldomWhileNothingChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		still := record(lifecycle.Queued)
		s := &story{start: time.Now(), records: []store.Record{still, still, still, still, still, still, still, running(`0.5`), running(`0.5`), record(lifecycle.Done)}}
		var out strings.Builder
		if err := (&watcher{now: time.Now, find: s.find, view: plainChanges{&out}}).run(t.Context(), streams{}, []string{"a", "a"}); err != nil {
			t.Fatal(err)
		}
		var waits []time.Duration
		for i := range s.read[1:] {
			waits = append(waits, (s.read[i+1] - s.read[i]).Round(time.Millisecond))
		}
		want := "1s 1.5s 2.25s 3.375s 5s 5s 5s 1s 1.5s"
		if got := strings.Trim(fmt.Sprint(waits), "[]"); got != want {
			t.Errorf("waits %s, want %s", got, want)
		}
		if lines := strings.Count(out.String(), "\n"); lines != 3 || !strings.Contains(out.String(), "running    50%  23s") {
			t.Errorf("%s", out.String())
		}
	})
}

func TestWatchFails(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		story *story
		want  error
		reads int
	}{
		{"dead", &story{records: []store.Record{record(lifecycle.Dead)}}, errSilent, 1},
		{"cancelled", &story{records: []store.Record{record(lifecycle.Queued), record(lifecycle.Cancelled)}}, errSilent, 2},
		{"not there", &story{err: store.ErrNotFound}, errSilent, 1},
		{"can't be read", &story{err: boom}, boom, watchTries},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := (&watcher{now: time.Now, find: c.story.find, view: jsonChanges{new(strings.Builder)}}).run(t.Context(), streams{}, []string{"a"})
				if !errors.Is(err, c.want) || len(c.story.read) != c.reads {
					t.Errorf("%v after %d reads", err, len(c.story.read))
				}
			})
		})
	}
}

func TestWatchEndsByCtrlC(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 90*time.Second)
		defer stop()
		s := &story{records: []store.Record{record(lifecycle.Queued)}}
		var out, said strings.Builder
		err := (&watcher{now: time.Now, find: s.find, view: newLiveView(&out, lookOf("", ""))}).run(ctx, streams{err: &said}, []string{"a"})
		if !errors.Is(err, errSilent) || !strings.Contains(said.String(), "the jobs go on") || !strings.HasSuffix(out.String(), clearing+wrapOn) {
			t.Errorf("%v, %q, %q", err, said.String(), out.String()[len(out.String())-80:])
		}
	})
}

// The block is drawn in place: what a terminal shows at last is what has ended.
func TestLiveView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{records: []store.Record{running(`0.25`), running(`0.5`), record(lifecycle.Done)}}
		var out screen
		ids, start := []string{"job"}, time.Now()
		for i := range liveLines + 2 {
			ids = append(ids, "queued-"+strings.Repeat("x", i))
		}
		find := func(ctx context.Context, id string) (store.Record, error) {
			if id != "job" && time.Since(start) < 2*time.Second {
				return record(lifecycle.Queued), nil
			}
			return s.find(ctx, id)
		}
		if err := (&watcher{now: time.Now, find: find, view: newLiveView(&out, lookOf("60", ""))}).run(t.Context(), streams{}, ids); err != nil {
			t.Fatal(err)
		}
		if len(out.most) != liveLines+1 || out.most[liveLines] != "and 3 more" || !strings.Contains(out.most[0], "  ##---------  25%") {
			t.Errorf("at most:\n%s", strings.Join(out.most, "\n"))
		}
		if len(out.lines) != len(ids) || !strings.Contains(out.lines[0], "  done ") {
			t.Errorf("at last:\n%s", strings.Join(out.lines, "\n"))
		}
	})
}

// A screen is a terminal as far as the live view needs one.
type screen struct {
	lines, most []string
}

func (s *screen) Write(p []byte) (int, error) {
	text := strings.TrimSuffix(strings.TrimPrefix(string(p), wrapOff), wrapOn)
	before, after, _ := strings.Cut(text, clearing)
	up := 0
	for _, digit := range strings.Trim(before, "\x1b[A") {
		up = 10*up + int(digit-'0')
	}
	s.lines = s.lines[:len(s.lines)-up]
	if after != "" {
		s.lines = append(s.lines, strings.Split(strings.TrimSuffix(after, "\n"), "\n")...)
	}
	if len(s.most) == 0 {
		s.most = append(s.most, s.lines...)
	}
	return len(p), nil
}
