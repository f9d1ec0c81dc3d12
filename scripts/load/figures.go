package main

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// slice is how long the stretches are into which the day is cut.
const slice = 15 * time.Minute

// A queueDay is what became of the jobs of one queue.
type queueDay struct {
	Queue string
	// Jobs arrived; of them so many ended so. Planned are those of other days.
	Jobs, Done, Dead, Cancelled, Planned int
	// Waits are from when a job could start to its first start, ascending; Runs from
	// there to its end.
	Waits, Runs []time.Duration
	// Arrivals, Depth and Age are of each slice of the day: how many could start
	// in it, the most that waited at once, the longest that the oldest had waited.
	Arrivals []int
	Depth    []int
	Age      []time.Duration
}

// figuresOf works out each queue's day, from the rows of its jobs.
func figuresOf(records []store.Record, began time.Time, due dueTimes) []queueDay {
	byQueue := map[string][]store.Record{}
	for _, rec := range records {
		byQueue[rec.Queue] = append(byQueue[rec.Queue], rec)
	}
	var all []queueDay
	for _, queue := range slices.Sorted(maps.Keys(byQueue)) {
		all = append(all, dayOf(queue, byQueue[queue], began, due))
	}
	return all
}

func dayOf(queue string, records []store.Record, began time.Time, due dueTimes) queueDay {
	count := int(24 * time.Hour / slice)
	d := queueDay{Queue: queue, Arrivals: make([]int, count), Depth: make([]int, count), Age: make([]time.Duration, count)}
	var waits []stretch
	for _, rec := range records {
		switch rec.State {
		case lifecycle.Done:
			d.Done++
		case lifecycle.Dead:
			d.Dead++
		case lifecycle.Cancelled:
			d.Cancelled++
		default:
			d.Planned++
			continue
		}
		d.Jobs++
		if rec.Started.IsZero() {
			continue // cancelled before it began
		}
		w := stretch{from: due.of(rec), to: rec.Started}
		d.Waits = append(d.Waits, max(0, w.to.Sub(w.from)))
		d.Runs = append(d.Runs, max(0, rec.Finished.Sub(rec.Started)))
		if i := int(w.from.Sub(began) / slice); i >= 0 && i < count {
			d.Arrivals[i]++
		}
		waits = append(waits, w)
	}
	sortDurations(d.Waits)
	sortDurations(d.Runs)
	d.measure(waits, began)
	return d
}

// A dueTimes tells when reminders are due, by their jobs: a row forgets its time when
// the job begins.
type dueTimes map[job.ID]time.Time

// of is when a job was there and its time had come. The job of an event is written when
// it begins; what it waits for begins with the publication.
func (due dueTimes) of(rec store.Record) time.Time {
	switch {
	case rec.Task == tasks.NudgeDraft.Definition().Name:
		return rec.Created.Add(tasks.NudgeAfter)
	case !due[rec.ID].IsZero():
		return due[rec.ID]
	}
	change, err := payload.Decode[tasks.RecipeChange](rec.Args)
	if err == nil && !change.PublishedAt.IsZero() {
		return change.PublishedAt
	}
	return rec.Created
}

// A stretch is the time that a job waited.
type stretch struct{ from, to time.Time }

// measure finds the depth and the age of each slice: at the moments when a job begins to
// wait the depth is highest, and when one is taken its age.
func (d *queueDay) measure(waits []stretch, began time.Time) {
	slices.SortFunc(waits, func(a, b stretch) int { return a.from.Compare(b.from) })
	for i, w := range waits {
		depth := 1
		for _, earlier := range waits[:i] {
			if earlier.to.After(w.from) {
				depth++
			}
		}
		if at := int(w.from.Sub(began) / slice); at >= 0 && at < len(d.Depth) {
			d.Depth[at] = max(d.Depth[at], depth)
		}
		if at := int(w.to.Sub(began) / slice); at >= 0 && at < len(d.Age) {
			d.Age[at] = max(d.Age[at], w.to.Sub(w.from))
		}
	}
}

func sortDurations(list []time.Duration) { slices.SortFunc(list, cmp.Compare[time.Duration]) }

// quantile gives the value below which a share of an ascending list lies; zero for an
// empty one.
func quantile(list []time.Duration, share float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return list[min(len(list)-1, int(share*float64(len(list))))]
}
