package clock

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/stackclock"
)

// open makes a clock in a bubble of synctest, whose time is the machine's.
func open(t *testing.T, path string, scale float64) *Clock {
	t.Helper()
	c, err := Open(Config{Path: path, Scale: scale, Busy: "http://stack/busy", Log: func(m string) { t.Log(m) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// within fails unless a duration is about another: Grace and less are not looked at.
func within(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got < want || got > want+time.Second {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func file(t *testing.T) string { return filepath.Join(t.TempDir(), "clock") }

func TestItFliesWhileNobodyWorks(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		c := open(t, path, 600)
		began := c.Now()
		time.Sleep(DefaultGrace + 10*time.Second + 100*time.Millisecond)
		within(t, "10.1 s of the machine", c.Now().Sub(began), 101*time.Minute)
		if r := c.Read(); r.Pace != 600 || r.Scale != 600 || !r.Now.Equal(c.Now()) {
			t.Errorf("%+v", r)
		}
	})
}

func TestItKeepsPaceWhileSomebodyWorks(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		c := open(t, path, 600)
		time.Sleep(time.Second)
		first, second := c.Hold(), c.Hold()
		began := c.Now()
		time.Sleep(time.Minute)
		within(t, "two work", c.Now().Sub(began), time.Minute)
		first()
		first() // counts once
		time.Sleep(time.Minute)
		within(t, "one works", c.Now().Sub(began), 2*time.Minute)
		if r := c.Read(); r.Pace != 1 {
			t.Errorf("pace %v while somebody works", r.Pace)
		}
		second()
		time.Sleep(DefaultGrace - time.Nanosecond)
		within(t, "a moment after", c.Now().Sub(began), 2*time.Minute)
		time.Sleep(time.Second)
		within(t, "nobody works", c.Now().Sub(began), 12*time.Minute)
	})
}

// Work that comes within the grace of other work begins without a leap between.
func TestWorkAfterWork(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		c := open(t, path, 600)
		began := c.Now()
		for range 100 {
			done := c.Hold()
			time.Sleep(time.Millisecond)
			done()
			time.Sleep(DefaultGrace / 2)
		}
		if passed, want := c.Now().Sub(began), 100*(time.Millisecond+DefaultGrace/2); passed != want {
			t.Errorf("%v of the machine were %v", want, passed)
		}
	})
}

func TestAFlightEndsAtTheTimeThatSomebodyWaitsFor(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		c := open(t, path, 600)
		began := c.Now()
		machine := time.Now()
		for i := range 3 {
			if err := c.Sleep(t.Context(), 5*time.Minute); err != nil {
				t.Fatal(err)
			}
			if passed, want := c.Now().Sub(began), time.Duration(i+1)*5*time.Minute; passed != want {
				t.Errorf("woken after %v, want %v", passed, want)
			}
			if r := c.Read(); r.Pace != 1 {
				t.Errorf("woken in flight: %+v", r)
			}
		}
		if passed := time.Since(machine); passed > 1600*time.Millisecond {
			t.Errorf("15 minutes took %v", passed)
		}
	})
}

func TestAWaitThatComesLaterEndsTheFlightEarlier(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		c := open(t, path, 600)
		began := c.Now()
		var order []time.Duration
		for _, d := range []time.Duration{time.Hour, time.Minute, 30 * time.Minute} {
			c.AfterFunc(d, func() { order = append(order, c.Now().Sub(began)) })
			time.Sleep(20 * time.Millisecond) // in flight from the second on
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(order) != 3 || order[2] != time.Hour || order[0] < time.Minute || order[0] > 8*time.Minute {
			t.Errorf("woken after %v", order)
		}
	})
}

// The machine's pace is kept from the moment of waking until what was woken is done.
func TestAfterFuncIsWork(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		c := open(t, path, 600)
		began := c.Now()
		ended := make(chan time.Duration)
		c.AfterFunc(time.Hour, func() {
			time.Sleep(3 * time.Second)
			ended <- c.Now().Sub(began)
		})
		if passed := <-ended; passed != time.Hour+3*time.Second {
			t.Errorf("it ended after %v", passed)
		}
	})
}

func TestWaitsThatEndEarly(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		c := open(t, path, 600)
		began := c.Now()
		timer := c.AfterFunc(time.Hour, func() { t.Error("a stopped timer fired") })
		if !timer.Stop() || timer.Stop() {
			t.Error("a timer stops once")
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := c.Sleep(ctx, 24*time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("a sleep ended with %v", err)
		}
		if err := c.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("a sleep began with %v", err)
		}
		if err := c.Until(t.Context(), began); err != nil { // long past
			t.Error(err)
		}
		fired := c.AfterFunc(0, func() {})
		time.Sleep(time.Second)
		if fired.Stop() {
			t.Error("a timer that has fired was stopped")
		}
		then := c.Now()
		time.Sleep(10 * time.Second)
		within(t, "nobody waits any more", c.Now().Sub(then), 100*time.Minute)
	})
}

func TestItNeverGoesBack(t *testing.T) {
	path := file(t)
	synctest.Test(t, func(t *testing.T) {
		c := open(t, path, MaxScale)
		follower, err := stackclock.Follow(path)
		if err != nil {
			t.Fatal(err)
		}
		last := c.Now()
		for i := range 2000 {
			done := c.Hold()
			if i%3 == 0 {
				done()
			}
			time.Sleep(time.Duration(i*7919%23) * time.Millisecond)
			mine, others := c.Now(), follower()
			if mine.Before(last) || others.Before(last) || others.After(c.Now()) {
				t.Fatalf("after %v came %v, others read %v", last, mine, others)
			}
			last = mine
			done()
		}
	})
}
