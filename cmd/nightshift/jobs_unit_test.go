package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func record(state lifecycle.State) store.Record {
	return store.Record{Row: lifecycle.Row{State: state}, ID: job.ID(strings.Repeat("0", 26)), Task: "note.write"}
}

func TestJobFilter(t *testing.T) {
	made := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	rec := record(lifecycle.Dead)
	rec.Queue, rec.Client, rec.Created = "notes", "ann", made
	for name, c := range map[string]struct {
		f    jobFilter
		want bool
	}{
		"none":        {jobFilter{}, true},
		"state":       {jobFilter{states: []lifecycle.State{lifecycle.Done, lifecycle.Dead}}, true},
		"other state": {jobFilter{states: []lifecycle.State{lifecycle.Done}}, false},
		"task":        {jobFilter{task: "note.write"}, true},
		"part of it":  {jobFilter{task: "note"}, false},
		"queue":       {jobFilter{queue: "mail"}, false},
		"client":      {jobFilter{client: "bob"}, false},
		"since then":  {jobFilter{since: made}, true},
		"since later": {jobFilter{since: made.Add(1)}, false},
		"before then": {jobFilter{before: made}, false},
		"before":      {jobFilter{before: made.Add(1)}, true},
		"all of them": {jobFilter{states: []lifecycle.State{lifecycle.Dead}, task: "note.write", queue: "notes", client: "ann", since: made, before: made.Add(1)}, true},
		"all but one": {jobFilter{states: []lifecycle.State{lifecycle.Dead}, task: "note.write", queue: "notes", client: "eve", since: made, before: made.Add(1)}, false},
	} {
		if got := c.f.matches(&rec); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestNewestAreKept(t *testing.T) {
	var all []store.Record
	for i := range 100 {
		rec := record(lifecycle.Done)
		rec.ID, rec.Created = job.ID(fmt.Sprintf("%026d", i)), time.UnixMilli(int64(i/2))
		all = append(all, rec)
	}
	want := slices.Clone(all)
	slices.SortFunc(want, func(a, b store.Record) int {
		return 2*b.Created.Compare(a.Created) + strings.Compare(string(a.ID), string(b.ID))
	})
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, most := range []int{1, 7, 100, 200} {
		n := &newest{most: most}
		for _, rec := range all {
			n.add(rec)
		}
		got := n.sorted()
		if n.seen != 100 || !slices.EqualFunc(got, want[:min(most, 100)], func(a, b store.Record) bool { return a.ID == b.ID }) {
			t.Errorf("of %d: %d seen, %d kept", most, n.seen, len(got))
		}
	}
}

// pages serves each segment so many pages of one job.
func pages(perSegment int, before func() error) func(context.Context, store.Scan) (store.Scanned, error) {
	return func(_ context.Context, s store.Scan) (store.Scanned, error) {
		if err := before(); err != nil {
			return store.Scanned{}, err
		}
		n := len(s.Start)
		found := store.Scanned{Jobs: []store.Record{record(lifecycle.Done)}}
		if n+1 < perSegment {
			found.Next = store.Item{}
			for i := range n + 1 {
				found.Next[fmt.Sprint(i)] = nil
			}
		}
		return found, nil
	}
}

func TestScanIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := 0
		scan := &tableScan{page: pages(5, func() error { return nil }), pace: newPace(2), each: func(page []store.Record) error { read += len(page); return nil }}
		start := time.Now()
		if err := scan.run(t.Context()); err != nil || read != 5*scanSegments {
			t.Fatalf("%d, %v", read, err)
		}
		if took := time.Since(start); took != 8*time.Second {
			t.Errorf("20 pages, 2 a second and four at once, took %v", took)
		}
	})
}

func TestScanEndsEarlyAndWaitsForAThrottledTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, calls := 0, 0
		throttled := func() error {
			if calls++; calls <= 2 {
				return fmt.Errorf("busy: %w", store.ErrThrottled)
			}
			return nil
		}
		scan := &tableScan{page: func(ctx context.Context, s store.Scan) (store.Scanned, error) {
			if s.Segment > 0 {
				return store.Scanned{}, nil
			}
			return pages(1000, throttled)(ctx, s)
		}, pace: newPace(10), each: func(page []store.Record) error {
			if read += len(page); read == 3 {
				return errEnough
			}
			return nil
		}}
		if err := scan.run(t.Context()); err != nil || read != 3 || calls != 5 {
			t.Errorf("%d jobs, %d calls, %v", read, calls, err)
		}
		if scan.pace.gap != 400*time.Millisecond {
			t.Errorf("refused twice, a page each %v", scan.pace.gap)
		}
		boom := errors.New("boom")
		for _, cause := range []error{boom, store.ErrThrottled} {
			scan.page = pages(1, func() error { return cause })
			if err := scan.run(t.Context()); !errors.Is(err, cause) {
				t.Errorf("%v: %v", cause, err)
			}
		}
	})
}

// Rows that can't be read are told of; the others are shown all the same.
func TestListPassesOverUnreadableRows(t *testing.T) {
	var out, problems strings.Builder
	s := streams{out: &out, err: &problems}
	list := newJobsListing(s, newFlags(s, "test", ""), new(stackFlags))
	list.view = new(stack).here()
	err := list.run(t.Context(), func(_ context.Context, s store.Scan) (store.Scanned, error) {
		if s.Segment > 0 {
			return store.Scanned{}, nil
		}
		gone := record(lifecycle.Done)
		gone.Task, gone.Expires = "expired", time.Now().Add(-time.Hour)
		return store.Scanned{Jobs: []store.Record{record(lifecycle.Queued), gone}}, fmt.Errorf("%w: x", store.ErrUnreadable)
	})
	if !errors.Is(err, errSilent) || strings.Count(out.String(), "\n") != 2 || strings.Contains(out.String(), "expired") || !strings.Contains(problems.String(), "are left out") {
		t.Errorf("%v\n%s%s", err, out.String(), problems.String())
	}
}

func TestWhatCannotBeRetried(t *testing.T) {
	fifo := record(lifecycle.Queued)
	fifo.ID, fifo.NotBefore = fifo.ID.InGroup("notes", "g"), time.Now().Add(time.Minute)
	for want, rec := range map[string]store.Record{
		"others would overtake it": fifo, "it runs": record(lifecycle.Running), "it is done: enqueue": record(lifecycle.Done), "it is cancelled": record(lifecycle.Cancelled),
	} {
		if o, done, err := (&stack{}).retry(t.Context(), rec); !done || err != nil || o.Status != refused || !strings.Contains(o.Why, want) {
			t.Errorf("%s: %+v, %v, %v", want, o, done, err)
		}
	}
}

func TestLongValuesAreCut(t *testing.T) {
	rec := record(lifecycle.Done)
	rec.Args = []byte(`["` + strings.Repeat("x", 1000) + `"` + strings.Repeat(",1", 100) + "]")
	rec.ResultObject = &lifecycle.Object{Key: "results/a", Bytes: 7}
	rec.Cursor = []byte("no JSON\u009b")
	for _, full := range []bool{false, true} {
		show := &jobShow{view: new(stack).here(), full: full}
		show.job(rec)
		text := show.text.String()
		if strings.Contains(text, "--full shows all") == full || strings.Contains(text, strings.Repeat("x", 1000)) != full || strings.Count(text, "   1") == 100 != full {
			t.Errorf("full %v:\n%s", full, text)
		}
		if !strings.Contains(text, "7 bytes, in the bucket at results/a") || !strings.Contains(text, "cursor       no JSON \n") {
			t.Errorf("%q", text)
		}
	}
	if got := string(asJSON(rec.Cursor)); got != "\"no JSON\u009b\"" {
		t.Errorf("%q", got)
	}
}
