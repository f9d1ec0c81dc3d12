package sizing

import (
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// InFlight is how many messages of a queue are with its workers or hidden: those that
// run, with their batches, and those that wait in SQS to be tried again. SQS allows
// about 120,000 for a queue.
func InFlight(concurrency, batch int, retries job.Rate, retryWait time.Duration) int {
	return whole(math.Ceil(float64(concurrency)*float64(batch) + max(InProgress(retries, retryWait), 0)))
}

// Shards is into how many parts something has to be split, each of which takes so
// much: at least one.
func Shards(need, each float64) int {
	return max(ceil(need/each), 1)
}

// QueueShards is how many queues the work of a plan takes: one mapping has at most
// MostConcurrency invocations at once.
func (p Plan) QueueShards() int {
	if p.Queue.Polled {
		return 1
	}
	return Shards(float64(p.MostConcurrency), MostConcurrency)
}

// RampTime is how long Lambda takes to poll a queue with a number of batches at once:
// it begins with five, and adds 300 a minute.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
func RampTime(concurrency int, q Quotas) time.Duration {
	return timeAt(float64(concurrency)-q.MappingStart.Value, q.MappingRamp.Value/60)
}

// WarmTime is how long an on-demand table takes to bear a number of units a second that
// it has never seen, doubling within each half hour. Zero where it bears them.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html
func WarmTime(units, warm float64) time.Duration {
	if !(units > warm) {
		return 0
	}
	return duration(math.Ceil(math.Log2(units/warm)) * (30 * time.Minute).Seconds())
}

// Extremes are what is known of a load besides its declaration, for Scale. The zero
// value of each means its default.
type Extremes struct {
	// Failures is the share of jobs (0 to 1) that are tried again, and RetryWait how
	// long they wait for it in SQS: 1 % and a minute.
	Failures  float64
	RetryWait time.Duration
	// EnqueueTime is how long the enqueue function takes for a job: 30 ms.
	EnqueueTime time.Duration
	// RelayTime is how long the relay takes for a batch of RelayBatch records: 100 ms,
	// 100 records.
	RelayTime  time.Duration
	RelayBatch int
	// Calls are what a job costs; FullBatches by default.
	Calls Calls
	// Quotas are the account's; DefaultQuotas by default.
	Quotas *Quotas
}

func (e Extremes) withDefaults() Extremes {
	e.Failures = orDefault(e.Failures, 0.01)
	e.RetryWait = orDefault(e.RetryWait, time.Minute)
	e.EnqueueTime = orDefault(e.EnqueueTime, 30*time.Millisecond)
	e.RelayTime = orDefault(e.RelayTime, 100*time.Millisecond)
	e.RelayBatch = orDefault(e.RelayBatch, 100)
	e.Calls = orDefault(e.Calls, FullBatches())
	if e.Quotas == nil {
		quotas := DefaultQuotas()
		e.Quotas = &quotas
	}
	return e
}

func orDefault[T comparable](value, standard T) T {
	var zero T
	if value == zero {
		return standard
	}
	return value
}

// A Demand is what a load needs of something that AWS limits.
type Demand struct {
	Quota Quota `json:"quota"`
	// Need is how much, in the quota's unit, and Formula where it comes from.
	Need    float64 `json:"need"`
	Formula string  `json:"formula"`
	// Ask tells that it exceeds the quota: Advice is what lifts it, empty where nothing
	// has to be done.
	Ask    bool   `json:"ask"`
	Advice string `json:"advice"`
}

// Scale says what a queue needs of AWS when it is as busy as it gets, and what of that
// has to be asked for, split or prepared.
func (p Plan) Scale(e Extremes) []Demand {
	e = e.withDefaults()
	q, quotas := p.Queue, *e.Quotas
	arrivals := float64(q.PeakArrivals)
	writes, reads := e.Calls.TableAt(p)
	calls := e.Calls.For(p)
	enqueuers := ceil(InProgress(q.PeakArrivals, e.EnqueueTime))
	shards := Shards(float64(writes), quotas.PartitionWrites.Value)
	relays := ceil(arrivals / float64(e.RelayBatch) * e.RelayTime.Seconds())
	concurrency := p.MostConcurrency
	if q.Polled {
		concurrency = 0
	}
	inFlight := InFlight(p.MostConcurrency, q.BatchSize(), job.Rate(e.Failures)*p.DrainRate, e.RetryWait)
	all := concurrency + enqueuers + max(relays, shards)

	s := scale{}
	if !q.Polled {
		s.add(Quota{"Lambda: invocations of a mapping at once", MostConcurrency, "invocations", lambdaSQS, quotasRead}, float64(p.MostConcurrency),
			f("%d workers ÷ %d side by side", p.MostWorkers, q.SideBySide()), f("%d queues, each with a mapping of its own (or more side by side: Batch and Bound)", p.QueueShards()))
	}
	s.add(quotas.Concurrency, float64(all),
		f("%d for workers + %s/s × %s = %d to enqueue + %d for the relay", concurrency, Number(arrivals), Period(e.EnqueueTime), enqueuers, max(relays, shards)), "ask for it: Service Quotas, Lambda, concurrent executions")
	s.add(quotas.InFlight, float64(inFlight),
		f("%d invocations × batch of %d + %s/s × %s %% tried again × %s", p.MostConcurrency, q.BatchSize(), Number(float64(p.DrainRate)), Number(100*e.Failures), Period(e.RetryWait)),
		f("%d queues, or retries that wait in the table (more than 15 minutes)", Shards(float64(inFlight), quotas.InFlight.Value)))
	s.add(quotas.TableWrites, float64(writes),
		f("%s/s × %s to enqueue + %s/s × %s to run", Number(arrivals), Number(calls.EnqueueWrites), Number(float64(DrainRate(p.MostWorkers, q.ServiceTime))), Number(calls.RunWrites)), "ask for it: Service Quotas, DynamoDB, table-level write throughput")
	s.add(quotas.TableReads, float64(reads), f("%s/s × %s status polls", Number(arrivals), Number(calls.Reads)), "ask for it: Service Quotas, DynamoDB, table-level read throughput")
	s.add(quotas.WarmWrites, float64(writes), "as above", f("set the table's warm throughput to %s write units: unprepared it takes %s to get there", Number(math.Ceil(float64(writes))), Period(WarmTime(float64(writes), quotas.WarmWrites.Value))))
	s.add(quotas.WarmReads, float64(reads), "as above", f("set the table's warm throughput to %s read units", Number(math.Ceil(float64(reads)))))
	s.add(quotas.PartitionWrites, float64(writes), "as above", f("%d partitions, and as many stream shards; the relay needs %d invocations at once (ParallelizationFactor %d)", shards, max(relays, shards), min(Shards(float64(relays), float64(shards)), 10)))
	s.add(quotas.HTTPRate, 2*arrivals, f("%s/s × (one request to enqueue + one status poll)", Number(arrivals)), "ask for it: Service Quotas, API Gateway, throttle rate")
	if q.FIFO {
		s.add(quotas.FIFORate, arrivals, "one call for each job", f("%d queues, or a Region with more", Shards(arrivals, quotas.FIFORate.Value)))
	}
	return s.demands
}

type scale struct{ demands []Demand }

func (s *scale) add(quota Quota, need float64, formula, advice string) {
	d := Demand{Quota: quota, Need: need, Formula: formula, Ask: need > quota.Value}
	if d.Ask {
		d.Advice = advice
	}
	s.demands = append(s.demands, d)
}
