package simulation

import "time"

// doubling is how long a table takes to bear twice as much.
const doubling = 30 * time.Minute

// A table is how many writes DynamoDB takes in on-demand mode: at once what it is warm
// for, and twice the peak of before within half an hour.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html
//
// Who enqueues is refused when it is spent. Workers' writes are repeated until they
// pass, which takes as long as the table is behind. Partitions are not modelled: jobs'
// keys are random, and so spread evenly.
type table struct {
	bucket
	used, peak float64 // writes in this minute, and a second's worth of the busiest
	doubled    time.Duration
}

func newTable(t Table, scale float64) table {
	return table{bucket: newBucket(float64(t.Writes) / scale)}
}

// takes tells whether an enqueue's writes pass.
func (t *table) takes(now time.Duration, writes int) bool {
	if t.rate == 0 {
		return true
	}
	if t.fill(now); t.tokens < float64(writes) {
		return false
	}
	t.spend(writes)
	return true
}

// delay gives how long a worker's writes take to pass.
func (t *table) delay(now time.Duration, writes int) time.Duration {
	if t.rate == 0 {
		return 0
	}
	t.fill(now)
	t.spend(writes)
	return time.Duration(max(-t.tokens, 0) / t.rate * float64(time.Second))
}

func (t *table) spend(writes int) {
	t.tokens -= float64(writes)
	t.used += float64(writes)
}

// tick looks, once a minute, what the table has learnt to bear.
func (t *table) tick(now time.Duration) {
	t.peak, t.used = max(t.peak, t.used/60), 0
	if now-t.doubled >= doubling {
		t.rate, t.doubled = max(t.rate, 2*t.peak), now
	}
}
