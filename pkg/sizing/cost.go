package sizing

import (
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// DefaultMemoryMB is the memory that a worker function is taken to have where nobody says.
const DefaultMemoryMB = 256

// Month is as long as AWS reckons it: 730 hours.
const Month = 730 * time.Hour

const (
	million       = 1e6
	gigabyte      = 1e9 // of storage and logs
	memoryPerGB   = 1024.0
	serviceMemory = 256 // MB of enqueue, status and relay
	relayBatch    = 100.0
	rowsKept      = 15 * 24 * time.Hour // done rows
	scansADay     = 2                   // of the sweep, over all rows
	bytesARead    = 4000 * 2            // of a scan, which is not consistent
	meanOfPeak    = 1.0 / 3
)

// What one call of the functions around the workers is billed for.
// docs/performance.md has the measures that this is a little above.
const (
	enqueueTime = 10 * time.Millisecond
	statusTime  = 5 * time.Millisecond
	relayTime   = time.Millisecond // for each job of a batch
)

// Usage is what is known of jobs besides the queue's declaration, for their cost. The
// zero value of each field means its default.
type Usage struct {
	// MeanArrivals is how many jobs arrive a second over a month: a third of the peak.
	MeanArrivals job.Rate
	// MemoryMB is the worker function's memory: DefaultMemoryMB.
	MemoryMB int
	// Polls is how often a job's status is asked for over HTTP: once. Negative for
	// never. Inside tells that jobs are enqueued by other functions and not over HTTP,
	// and are not polled.
	Polls  float64
	Inside bool
	// RowBytes is the size of a job's row, 1,000, and LogBytes what is logged of it,
	// 1,000.
	RowBytes, LogBytes int64
	// ObjectBytes is what lies in S3 for each job (claim check); zero for nothing.
	ObjectBytes int64
	// Metrics is how many CloudWatch metrics the queue has, Alarms how many alarms: 14
	// and 6. Negative for none.
	Metrics, Alarms int
	// Calls are what a job costs: TypicalCalls.
	Calls Calls
}

func (u Usage) withDefaults(p Plan) Usage {
	u.MeanArrivals = max(orDefault(u.MeanArrivals, p.Queue.PeakArrivals*meanOfPeak), 0)
	u.MemoryMB = max(orDefault(u.MemoryMB, DefaultMemoryMB), 0)
	u.Polls = max(orDefault(u.Polls, 1), 0)
	if u.Inside {
		u.Polls = 0
	}
	u.RowBytes, u.LogBytes = max(orDefault(u.RowBytes, 1000), 0), max(orDefault(u.LogBytes, 1000), 0)
	u.Metrics, u.Alarms = max(orDefault(u.Metrics, 14), 0), max(orDefault(u.Alarms, 6), 0)
	u.Calls = orDefault(u.Calls, TypicalCalls()).For(p)
	return u
}

// A Line is one item of a bill.
type Line struct {
	What string `json:"what"`
	// Of says how much of it for each job, or for a month where it is fixed.
	Of string `json:"of"`
	// Million is dollars for a million jobs (zero for what does not grow with them),
	// Month dollars for a month.
	Million float64 `json:"dollars_a_million"`
	Month   float64 `json:"dollars_a_month"`
}

// A Bill is what a queue's jobs cost.
type Bill struct {
	Region string `json:"region"`
	// PricesOf is the date of the oldest price.
	PricesOf string `json:"prices_of"`
	// Jobs is how many there are in a month.
	Jobs  float64 `json:"jobs_a_month"`
	Lines []Line  `json:"lines"`
	// Million is dollars for a million jobs, without what is fixed; Month dollars for a
	// month, with it.
	Million float64 `json:"dollars_a_million"`
	Month   float64 `json:"dollars_a_month"`
}

// Bill works out what the queue's jobs cost, without free tiers. A polled queue's
// processes are not in it: what they cost depends on where they run.
func (p Plan) Bill(u Usage, prices Prices) Bill {
	u = u.withDefaults(p)
	b := Bill{Region: prices.Region, PricesOf: prices.Oldest(), Jobs: float64(u.MeanArrivals) * Month.Seconds()}
	b.frontend(u, prices)
	b.worker(p, u, prices)
	b.tableAndQueue(p, u, prices)
	b.kept(u, prices)
	for _, line := range b.Lines {
		b.Million, b.Month = b.Million+line.Million, b.Month+line.Month
	}
	return b
}

// each adds what grows with the jobs: dollars a job.
func (b *Bill) each(what, of string, dollars float64) {
	b.Lines = append(b.Lines, Line{what, of, dollars * million, dollars * b.Jobs})
}

// function is dollars for a share of a request, and a time at so much memory.
func function(prices Prices, requests float64, busy time.Duration, memory int) float64 {
	return requests*prices.LambdaRequests.Dollars/million + busy.Seconds()*float64(memory)/memoryPerGB*prices.LambdaTime.Dollars
}

func (b *Bill) frontend(u Usage, prices Prices) {
	if !u.Inside {
		b.each("HTTP API", f("enqueue and %s", Count(u.Polls, "status polls")), (1+u.Polls)*prices.HTTPRequests.Dollars/million)
		b.each("Lambda: enqueue", f("1 request, %s at %d MB", Period(enqueueTime), serviceMemory), function(prices, 1, enqueueTime, serviceMemory))
		if u.Polls > 0 {
			status := time.Duration(u.Polls * float64(statusTime))
			b.each("Lambda: status", f("%s, %s at %d MB", Count(u.Polls, "requests"), Period(status), serviceMemory), function(prices, u.Polls, status, serviceMemory))
		}
	}
	b.each("Lambda: relay", f("1/%d request, %s at %d MB", int(relayBatch), Period(relayTime), serviceMemory), function(prices, 1/relayBatch, relayTime, serviceMemory))
}

func (b *Bill) worker(p Plan, u Usage, prices Prices) {
	if p.Queue.Polled {
		return
	}
	batch := p.Queue.BatchSize()
	busy := p.Queue.ServiceTime / time.Duration(p.Queue.SideBySide())
	b.each("Lambda: worker", f("1/%d request, %s at %d MB (%s, %d side by side)", batch, Period(busy), u.MemoryMB, Period(p.Queue.ServiceTime), p.Queue.SideBySide()),
		function(prices, 1/float64(batch), busy, u.MemoryMB))
}

func (b *Bill) tableAndQueue(p Plan, u Usage, prices Prices) {
	units := math.Ceil(float64(u.RowBytes) / 1000) // rows of a KB, a little below 1,024 bytes
	writes := (u.Calls.EnqueueWrites + u.Calls.RunWrites) * units
	reads := u.Calls.Reads * u.Polls * math.Ceil(float64(u.RowBytes)/4000)
	b.each("DynamoDB", f("%s, %s", Count(writes, "write units"), Count(reads, "read units")),
		(writes*prices.TableWrites.Dollars+reads*prices.TableReads.Dollars)/million)
	request := prices.SQSRequests
	if p.Queue.FIFO {
		request = prices.FIFORequests
	}
	c := u.Calls
	b.each("SQS", f("%s, %s, %s, %s", Count(c.Sends, "sends"), Count(c.Receives, "receives"), Count(c.Deletes, "deletes"), Count(c.Counts, "counts")),
		(c.Sends+c.Receives+c.Deletes+c.Counts)*request.Dollars/million)
	b.each("logs", Count(float64(u.LogBytes), "bytes"), float64(u.LogBytes)/gigabyte*prices.Logs.Dollars)
	if u.ObjectBytes > 0 {
		b.each("S3 requests", "1 put, 1 get", (prices.ObjectPuts.Dollars+prices.ObjectGets.Dollars)/million)
	}
}

// kept adds what is paid by the month.
func (b *Bill) kept(u Usage, prices Prices) {
	rows := float64(u.MeanArrivals) * rowsKept.Seconds() * float64(u.RowBytes) / gigabyte
	month := func(what, of string, dollars float64) {
		b.Lines = append(b.Lines, Line{What: what, Of: of, Month: dollars})
	}
	month("DynamoDB storage", f("%s GB: rows of %s", Number(rows), Period(rowsKept)), rows*prices.TableStorage.Dollars)
	scans := scansADay * Month.Hours() / 24 * rows * gigabyte / bytesARead
	month("DynamoDB: the sweep's scan", f("%s: the rows, %d times a day", Count(scans, "read units"), scansADay), scans*prices.TableReads.Dollars/million)
	if u.ObjectBytes > 0 {
		objects := float64(u.MeanArrivals) * rowsKept.Seconds() * float64(u.ObjectBytes) / gigabyte
		month("S3 storage", f("%s GB: objects of %s", Number(objects), Period(rowsKept)), objects*prices.ObjectStorage.Dollars)
	}
	month("CloudWatch", f("%s, %s", Count(float64(u.Metrics), "metrics"), Count(float64(u.Alarms), "alarms")),
		float64(u.Metrics)*prices.Metric.Dollars+float64(u.Alarms)*prices.Alarm.Dollars)
}
