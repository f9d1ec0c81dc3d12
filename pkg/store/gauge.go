package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Gauge is what is known of a queue besides how many jobs wait in it. Package
// gauge makes readings for gates of it.
//
// It is two rows under one key, that one query reads: "seen" is written by workers
// (and kept up by gates while nobody works), "probe" by gates and the relay.
type Gauge struct {
	// Noted is when a worker last said how long a job had waited, and Oldest since
	// when that one had. Both are zero where none did yet.
	Noted, Oldest time.Time
	// Notes counts what workers noted, Finished the jobs that they ran, and Busy is
	// the time that these took; all three only grow.
	Notes, Finished int64
	Busy            time.Duration

	// Relayed is up to when the relay is known to have published: the youngest
	// probe that it confirmed. Asked is since when a probe waits for that; it has
	// been answered where it is not after Relayed, or zero. Probed is when it was last
	// sent.
	Relayed, Asked, Probed time.Time

	// n is the number of the last probe, and notedMS the time of the note to the
	// letter, as read.
	n, notedMS int64
}

// gaugeKey gives the partition key of a queue's gauge.
func gaugeKey(queue string) string { return gaugePrefix + queue }

const gaugePrefix = "gauge#"

var (
	seenSort  = text("seen")
	probeSort = text("probe")
)

func seenRow(queue string) Item { return Item{PartitionKey: text(gaugeKey(queue)), SortKey: seenSort} }
func probeRow(queue string) Item {
	return Item{PartitionKey: text(gaugeKey(queue)), SortKey: probeSort}
}

// Gauge reads a queue's gauge, consistently; the zero Gauge where nobody noted
// anything yet. One query, one read unit.
func (j *Jobs) Gauge(ctx context.Context, queue string) (Gauge, error) {
	// Key: the gauge's. Both of its rows.
	condition := "#pk = :gauge"
	page, err := j.driver.Query(ctx, Query{
		Condition: condition, Names: namesIn(condition), Values: Item{":gauge": text(gaugeKey(queue))},
	})
	if err != nil {
		return Gauge{}, fmt.Errorf("store: reading the gauge of %s: %w", queue, err)
	}
	var g Gauge
	for _, row := range page.Items {
		g.add(row)
	}
	return g, nil
}

// add takes one of the gauge's rows over.
func (g *Gauge) add(row Item) {
	switch str(row[SortKey]) {
	case "seen":
		g.Noted, g.Oldest, g.notedMS = at(row["noted_ms"]), at(row["oldest_ms"]), num(row["noted_ms"])
		g.Notes, g.Finished = num(row["notes"]), num(row["finished"])
		g.Busy = time.Duration(num(row["busy_ms"])) * time.Millisecond
	case "probe":
		g.Relayed, g.Asked = at(row["relayed_ms"]), at(row["asked_ms"])
		g.Probed, g.n = at(row["probed_ms"]), num(row["n"])
	}
}

// A Note is what a worker saw of its queue since its last one.
type Note struct {
	// At is when the note was made, and Oldest since when the job had waited that
	// waited longest of those just begun.
	At, Oldest time.Time
	// Finished counts the jobs that were run, Busy is the time that they took.
	Finished int64
	Busy     time.Duration
}

// clockMargin is how far ahead of this process's clock others may be. What is further
// ahead than that is a clock that is wrong, and is written over.
const clockMargin = time.Minute

// NoteWait notes what a worker saw. It does nothing (false) where a younger note is
// there: a process that was frozen may send its own much later. The gauge is that
// of the note, without probes.
func (j *Jobs) NoteWait(ctx context.Context, queue string, n Note) (g Gauge, noted bool, err error) {
	// Key: the gauge's. Condition: no younger note, but for the future's. Comes back: the row. A lost
	// race: others have noted since, which is as good.
	row, err := j.driver.Write(ctx, update(seenRow(queue),
		"SET #noted_ms = :at, #oldest_ms = :oldest ADD #notes :one, #finished :finished, #busy_ms :busy",
		"attribute_not_exists(#noted_ms) OR #noted_ms < :at OR #noted_ms > :ahead",
		Item{
			":at": millis(n.At), ":ahead": millis(j.now().Add(clockMargin)), ":oldest": millis(n.Oldest), ":one": one,
			":finished": number(n.Finished), ":busy": number(n.Busy.Milliseconds()),
		}))
	var lost *ConditionError
	switch {
	case errors.As(err, &lost):
		row, err = lost.Old, nil
	case err != nil:
		return Gauge{}, false, fmt.Errorf("store: noting a wait in %s: %w", queue, err)
	default:
		noted = true
	}
	g.add(row)
	return g, noted, nil
}

// KeepWaiting says, for want of workers that would, that jobs still wait: since
// oldest, as far as is known. It does nothing (false) where anybody noted anything
// since the gauge was read.
func (j *Jobs) KeepWaiting(ctx context.Context, queue string, found Gauge, oldest time.Time) (bool, error) {
	values := Item{":now": millis(j.now()), ":oldest": millis(oldest)}
	condition := "attribute_not_exists(#noted_ms)"
	if found.notedMS != 0 {
		condition, values[":seen"] = "#noted_ms = :seen", number(found.notedMS)
	}
	// Key: the gauge's. Condition: noted last as was read. A lost race: a worker
	// works again, or another gate said the same.
	_, err := j.driver.Write(ctx, update(seenRow(queue), "SET #noted_ms = :now, #oldest_ms = :oldest", condition, values))
	return unlessLost(err, "keeping the wait of", queue)
}

func unlessLost(err error, doing, queue string) (bool, error) {
	switch {
	case errors.Is(err, ErrCondition):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("store: %s %s: %w", doing, queue, err)
	}
	return true, nil
}

// A Probe is a row that is published for one purpose: to see whether it is.
type Probe struct {
	// Queue is the queue that it goes to.
	Queue string
	// N numbers the queue's probes.
	N int64
	// At is when it was sent.
	At time.Time
}

// ID gives the id that the probe's message has: that of a job which does not exist,
// so that whoever receives it has nothing to do.
func (p Probe) ID() job.ID {
	return job.IDOf(digest(fmt.Sprintf("probe\x00%s\x00%d\x00%d", p.Queue, p.N, p.At.UnixMilli())))
}
