package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// noticeWithin is how long work may be accepted into the dark: what a gate takes to see
// that its probes are not confirmed, and a second for its readings.
const noticeWithin = 12 * time.Second

// stopRelay stops the relay for the second third of the load: its mapping is disabled,
// as it can be by mistake.
func (o *outcome) stopRelay(ctx context.Context, s *stack) error {
	third := o.config.lasts / 3
	set := func(at time.Time, enabled bool) (time.Time, error) {
		select {
		case <-ctx.Done():
			return time.Time{}, errors.New("the run was over before the relay's part")
		case <-time.After(time.Until(at)):
		}
		err := s.turn(ctx, "JobsTable", enabled)
		return time.Now(), err
	}
	var err error
	if o.stopped, err = set(o.began.Add(third), false); err != nil {
		return fmt.Errorf("stopping the relay: %w", err)
	}
	if o.resumed, err = set(o.began.Add(2*third), true); err != nil {
		return fmt.Errorf("starting the relay: %w", err)
	}
	return nil
}

// noticed: soon after the relay stopped, nothing was accepted until it went again; then
// the queue opened by itself.
func (o *outcome) noticed() promise {
	last, opened := time.Duration(0), time.Duration(0)
	stopped, resumed := o.stopped.Sub(o.began), o.resumed.Sub(o.began)
	for _, a := range o.answers {
		if a.status != http.StatusAccepted {
			continue
		}
		if a.at < resumed {
			last = max(last, a.at)
		} else if opened == 0 {
			opened = a.at
		}
	}
	return promise{
		"a relay that stands still is noticed, and that it goes again", fmt.Sprintf("nothing was accepted from %v after it stopped until %v after it went again",
			(last - stopped).Round(100*time.Millisecond), (opened - resumed).Round(100*time.Millisecond)),
		last-stopped <= noticeWithin && opened > 0, false,
	}
}
