package streamsource

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
)

// underClock makes a source under a clock that flies, in a bubble of synctest.
func underClock(t *testing.T, test func(t *testing.T, s *Source, c *clock.Clock)) {
	path := filepath.Join(t.TempDir(), "clock.json")
	synctest.Test(t, func(t *testing.T) {
		c, err := clock.Open(clock.Config{Path: path, Scale: 600})
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(Config{UUID: "esm", StartingPosition: "TRIM_HORIZON", Clock: c}, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		test(t, s, c)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A reader that has nothing to do stops no flight, and is there when a record is written.
func TestRestStopsNoFlight(t *testing.T) {
	underClock(t, func(t *testing.T, s *Source, c *clock.Clock) {
		began := c.Now()
		changed, rested := make(chan struct{}), make(chan error)
		go func() { rested <- s.rest(t.Context(), s.config.PollInterval, changed) }()
		time.Sleep(5 * time.Second)
		if passed := c.Now().Sub(began); passed < 49*time.Minute {
			t.Errorf("5 s of the machine were %v", passed)
		}
		machine := time.Now()
		close(changed)
		if err := <-rested; err != nil || time.Since(machine) != 0 {
			t.Errorf("it came %v after the change, %v", time.Since(machine), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := s.rest(ctx, s.config.PollInterval, make(chan struct{})); !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
		if err := s.rest(t.Context(), time.Second, nil); err != nil { // where nobody tells
			t.Error(err)
		}
	})
}

// From the writing of a record to its reading no time flies by, however late the reader
// comes.
func TestStirHoldsUntilTheReading(t *testing.T) {
	underClock(t, func(t *testing.T, s *Source, c *clock.Clock) {
		s.Stir() // nobody rests: there is no reader, or it works
		time.Sleep(time.Second)
		if c.Read().Pace == 1 {
			t.Error("it is held for nobody")
		}
		changed := make(chan struct{})
		rested := make(chan error)
		go func() { rested <- s.rest(t.Context(), s.config.PollInterval, changed) }()
		synctest.Wait()
		s.Stir()
		s.Stir()
		began := c.Now()
		close(changed)
		if err := <-rested; err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if passed := c.Now().Sub(began); passed != time.Second {
			t.Errorf("before the reading a second was %v", passed)
		}
		s.reading()()
		time.Sleep(time.Second)
		if c.Read().Pace == 1 {
			t.Error("it is held after the reading")
		}
	})
}

// The window for a batch is the clock's.
func TestAWindowFlies(t *testing.T) {
	underClock(t, func(t *testing.T, s *Source, c *clock.Clock) {
		began, machine := c.Now(), time.Now()
		if err := s.window(t.Context(), 5*time.Minute, make(chan struct{})); err != nil {
			t.Fatal(err)
		}
		if passed, took := c.Now().Sub(began), time.Since(machine); passed < 5*time.Minute || passed > 5*time.Minute+time.Second || took > time.Second {
			t.Errorf("a window of 5m was %v, and took %v", passed, took)
		}
		changed := make(chan struct{})
		close(changed)
		began = c.Now()
		if err := s.window(t.Context(), 5*time.Minute, changed); err != nil || c.Now().Sub(began) > time.Minute {
			t.Errorf("a record did not end the wait: %v, %v", c.Now().Sub(began), err)
		}
	})
}
