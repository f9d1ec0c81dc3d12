package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// scanMark is the name of the mark of the scan.
const scanMark = "scan"

// A position is where the scan stands.
type position struct {
	// Segment is the part of the table that is next, or under way.
	Segment int `json:"segment"`
	// Start is the key after which the segment goes on; empty at its beginning.
	Start map[string]string `json:"start,omitempty"`
	// Started is when, in milliseconds, the youngest job was made that a worker
	// is known to have started, by queue.
	Started map[string]int64 `json:"started,omitempty"`
	// Pass is when the recount began, in milliseconds, that goes on with this pass;
	// zero where there is nothing to recount.
	Pass int64 `json:"pass,omitempty"`
}

// heal scans a run's share of the table, or what the time allows of it.
func (s *Sweep) heal(ctx context.Context) error {
	seen, err := s.config.Jobs.Mark(ctx, scanMark)
	if err != nil {
		return unlessOver(ctx, err)
	}
	at := readPosition(seen)
	h := &healer{Sweep: s, now: s.config.Now(), started: at.Started, empty: map[string]bool{}, seen: map[store.Counter]int{}}
	if at.Segment == 0 && at.Start == nil && at.Pass == 0 {
		// What is written until then is seen by whoever reads a minute later.
		if at.Pass, err = h.beginRecount(ctx); err != nil || at.Pass != 0 {
			return errors.Join(unlessOver(ctx, err), s.moveScanMark(ctx, seen, at))
		}
	}
	if at.Pass != 0 {
		h.pass = time.UnixMilli(at.Pass).UTC()
	}
	for range s.config.SegmentsPerRun {
		var start store.Item
		if start, err = h.segment(ctx, at); err != nil {
			at.Start = keyText(start)
			break
		}
		at = position{Segment: (at.Segment + 1) % Segments, Pass: at.Pass}
		if h.rows >= RowsPerRun || at.Segment == 0 {
			break
		}
	}
	if bad := h.settleCounts(ctx, &at); bad != nil {
		return errors.Join(unlessOver(ctx, err), unlessOver(ctx, bad))
	}
	at.Started = h.started
	return errors.Join(unlessOver(ctx, err), s.moveScanMark(ctx, seen, at))
}

func (s *Sweep) moveScanMark(ctx context.Context, seen string, next position) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopBefore/3)
	defer cancel()
	text, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("noting the position of the scan: %w", err)
	}
	_, err = s.config.Jobs.SetMark(ctx, scanMark, seen, string(text))
	return err
}

// readPosition reads a mark. One that can't be read, or that is of another number
// of segments, begins anew.
func readPosition(mark string) position {
	at := position{}
	if json.Unmarshal([]byte(mark), &at) != nil || at.Segment < 0 || at.Segment >= Segments {
		at = position{}
	}
	if at.Started == nil {
		at.Started = map[string]int64{}
	}
	return at
}

func keyText(key store.Item) map[string]string {
	if key == nil {
		return nil
	}
	text := map[string]string{}
	for name, value := range key {
		if s, ok := value.(*types.AttributeValueMemberS); ok {
			text[name] = s.Value
		}
	}
	return text
}

func keyItem(text map[string]string) store.Item {
	if len(text) == 0 {
		return nil
	}
	key := store.Item{}
	for name, value := range text {
		key[name] = &types.AttributeValueMemberS{Value: value}
	}
	return key
}

// segment scans from a position to the end of its segment. Where it stops before
// that, start is where to go on: the page that was not done with is read again.
func (h *healer) segment(ctx context.Context, at position) (start store.Item, err error) {
	start = keyItem(at.Start)
	for {
		page, err := h.config.Jobs.ScanPage(ctx, store.Scan{Segment: at.Segment, Segments: Segments, Start: start})
		if errors.Is(err, store.ErrUnreadable) {
			h.config.Logger.ErrorContext(ctx, "rows can't be read; the scan goes on", "error", err.Error())
		} else if err != nil {
			return start, err
		}
		if err := h.page(ctx, page); err != nil {
			return start, err
		}
		if start = page.Next; start == nil {
			return nil, nil
		}
	}
}

// page heals what is in a page. What can't be healed now does not keep the scan
// from going on: the next pass meets it again.
func (h *healer) page(ctx context.Context, page store.Scanned) error {
	h.rows += page.Rows
	for _, rec := range page.Jobs {
		h.witness(rec)
		h.see(rec)
	}
	var jobs errgroup.Group
	jobs.SetLimit(Parallel)
	jobs.Go(func() error { return h.release(ctx, page.Jobs) })
	for _, lock := range page.Locks {
		jobs.Go(func() error { return h.free(ctx, lock) })
	}
	for _, e := range page.Events {
		jobs.Go(func() error { return h.resend(ctx, e) })
	}
	for _, rec := range page.Jobs {
		if act := h.remedy(ctx, rec); act != nil {
			jobs.Go(func() error { return h.healJob(ctx, rec, act) })
		}
	}
	return jobs.Wait()
}

// try takes a remedy, and logs what came of it with its words; those for success may
// be empty. A remedy that fails is an error only where the time is over: the next
// pass meets the row again.
func (h *healer) try(ctx context.Context, act remedy, succeeded, failed string, attrs ...any) error {
	done, err := act(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		h.config.Logger.ErrorContext(ctx, failed, append(attrs, "error", err.Error())...)
	case done && succeeded != "":
		h.config.Logger.WarnContext(ctx, succeeded, attrs...)
	}
	return nil
}

func (h *healer) healJob(ctx context.Context, rec store.Record, act remedy) error {
	return h.try(ctx, act, "healed a job", "a job could not be healed",
		"job", rec.ID, "task", rec.Task, "state", string(rec.State), "due", rec.NotBefore.Format(time.RFC3339))
}

// free removes the lock of a unique job that has ended. It does no harm where it
// stays.
func (h *healer) free(ctx context.Context, lock store.Lock) error {
	act := func(ctx context.Context) (bool, error) { return h.config.Jobs.Free(ctx, lock) }
	return h.try(ctx, act, "", "a unique key could not be freed", "task", lock.Task, "holder", lock.Job)
}

// resend asks the relay again for an event that has waited for longer than the relay
// tries. Subscribers know an event that they had.
func (h *healer) resend(ctx context.Context, e store.Event) error {
	since := e.Publication.At
	if e.Due.After(since) { // it was put off
		since = e.Due
	}
	if h.now.Sub(since) <= h.config.Waits.Relay {
		return nil
	}
	act := func(ctx context.Context) (bool, error) { return h.config.Jobs.Resend(ctx, e) }
	return h.try(ctx, act, "resent an event that was not published", "an event could not be resent", "event", e.ID, "name", e.Name)
}
