package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
)

func digest(of string) [16]byte {
	sum := sha256.Sum256([]byte(of))
	return [16]byte(sum[:16])
}

// Probe asks the relay to confirm that it publishes what goes to a queue, by a row
// of its own: for whom no job does (job.WithProbe). Asked stays as it was read while
// an earlier probe waits. It does nothing (false) where another probe was sent since
// the gauge was read.
func (j *Jobs) Probe(ctx context.Context, queue string, found Gauge) (bool, error) {
	now := j.now()
	asked := now
	if found.Asked.After(found.Relayed) {
		asked = found.Asked
	}
	values := Item{
		":n": number(found.n + 1), ":now": millis(now), ":asked": millis(asked),
		":publish": Publication{To: ToQueue(queue), N: found.n + 1, At: now}.value(),
	}
	condition := "attribute_not_exists(#n)"
	if found.n != 0 {
		condition, values[":seen"] = "#n = :seen", number(found.n)
	}
	// Key: the gauge's. Condition: that n. A lost race: another gate's probe is on
	// its way, which tells as much.
	_, err := j.driver.Write(ctx, update(probeRow(queue),
		"SET #n = :n, #probed_ms = :now, #asked_ms = :asked, #publish = :publish", condition, values))
	return unlessLost(err, "probing the relay for", queue)
}

// ErrNotAProbe is returned for a row that is not a probe's.
var ErrNotAProbe = errors.New("store: the row is not a probe")

// DecodeProbe reads the row of a probe that waits to be published, as the table's
// stream gives it.
func DecodeProbe(item Item) (Probe, error) {
	queue, ok := strings.CutPrefix(str(item[PartitionKey]), gaugePrefix)
	p := publicationOf(item[Publish])
	if !ok || str(item[SortKey]) != "probe" || p == nil {
		return Probe{}, ErrNotAProbe
	}
	return Probe{Queue: queue, N: p.N, At: p.At}, nil
}

// ConfirmPublished notes that what was written at a time and went to a queue has been
// published. Repeating it does no harm; what is known to be later stays. A time ahead of
// the clock counts as now, or nothing would seem to stand still until then.
func (j *Jobs) ConfirmPublished(ctx context.Context, queue string, written time.Time) error {
	// Key: the gauge's. Condition: nothing younger was confirmed, but for the
	// future. A lost race: it was.
	_, err := j.driver.Write(ctx, update(probeRow(queue),
		"SET #relayed_ms = :at", "attribute_not_exists(#relayed_ms) OR #relayed_ms < :at OR #relayed_ms > :ahead",
		Item{":at": millis(j.notAhead(written)), ":ahead": millis(j.now().Add(clockMargin))}))
	_, err = unlessLost(err, "confirming to", queue)
	return err
}

// notAhead is a time, or now where it is further ahead than clocks may be.
func (j *Jobs) notAhead(at time.Time) time.Time {
	if now := j.now(); at.After(now.Add(clockMargin)) {
		return now
	}
	return at
}

// ConfirmProbe notes that a probe has been published. Repeating it does no harm.
func (j *Jobs) ConfirmProbe(ctx context.Context, p Probe) error {
	// Key: the gauge's. Condition: it is the last probe, which then asks no more.
	// A lost race: a younger one is on its way; this one counts all the same.
	_, err := j.driver.Write(ctx, update(probeRow(p.Queue),
		"SET #relayed_ms = :at REMOVE #publish, #asked_ms", "#n = :n AND attribute_exists(#publish)",
		Item{":at": millis(j.notAhead(p.At)), ":n": number(p.N)}))
	if errors.Is(err, ErrCondition) {
		return j.ConfirmPublished(ctx, p.Queue, p.At)
	}
	if err != nil {
		return fmt.Errorf("store: confirming the probe of %s: %w", p.Queue, err)
	}
	return nil
}
