package sizing_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// light is the queue whose bill docs/performance.md works out: 10 ms a job, ten to a
// batch.
func light() job.Queue {
	return job.Queue{Name: "light", PeakArrivals: 100, ServiceTime: 100 * time.Millisecond, LongestWait: time.Minute, Batch: 10}
}

func TestTheBillOfAMillionJobs(t *testing.T) {
	p := planned(t, light(), time.Second)
	bill := p.Bill(sizing.Usage{Calls: sizing.FullBatches()}, sizing.USEast1())
	if math.Abs(bill.Million-5.13) > 0.005 {
		t.Errorf("a million jobs cost %.3f, want 5.13: %+v", bill.Million, bill.Lines)
	}
	var month float64
	for _, line := range bill.Lines {
		month += line.Month
		if line.Million > 0 && math.Abs(line.Month-line.Million*bill.Jobs/1e6) > 1e-9 {
			t.Errorf("%+v: %v jobs", line, bill.Jobs)
		}
	}
	if math.Abs(bill.Jobs-87.6e6) > 1 || math.Abs(month-bill.Month) > 1e-9 || bill.PricesOf != "2024-07" {
		t.Errorf("%+v", bill)
	}
}

func TestWhatMakesABillHigher(t *testing.T) {
	usage := sizing.Usage{Calls: sizing.FullBatches()}
	p := planned(t, light(), time.Second)
	plain := p.Bill(usage, sizing.USEast1()).Million
	for name, c := range map[string]struct {
		change func(*sizing.Usage, *job.Queue)
		more   float64
	}{
		"a second KB a row":     {func(u *sizing.Usage, _ *job.Queue) { u.RowBytes = 2000 }, 3 * 0.625},
		"another poll":          {func(u *sizing.Usage, _ *job.Queue) { u.Polls = 2 }, 1 + 0.125 + 0.2 + 0.005*0.25*13.3334},
		"no poll":               {func(u *sizing.Usage, _ *job.Queue) { u.Polls = -1 }, -(1 + 0.125 + 0.2 + 0.005*0.25*13.3334)},
		"from inside":           {func(u *sizing.Usage, _ *job.Queue) { u.Inside = true }, -(2 + 0.125 + 0.4 + 0.015*0.25*13.3334)},
		"an object in S3":       {func(u *sizing.Usage, _ *job.Queue) { u.ObjectBytes = 1e5 }, 5.4},
		"FIFO":                  {func(_ *sizing.Usage, q *job.Queue) { q.FIFO = true }, 0.3 * 0.1},
		"an exact limit":        {func(_ *sizing.Usage, q *job.Queue) { q.Hard = true }, 3.2 * 0.625},
		"batches of one":        {func(_ *sizing.Usage, q *job.Queue) { q.Batch = 1 }, 1.8*0.4 + 0.9*0.2 + 0.09*0.25*13.3334},
		"four times the memory": {func(u *sizing.Usage, _ *job.Queue) { u.MemoryMB = 1024 }, 0.01 * 0.75 * 13.3334},
	} {
		u, q := usage, light()
		c.change(&u, &q)
		if got := planned(t, q, time.Second).Bill(u, sizing.USEast1()).Million - plain; math.Abs(got-c.more) > 1e-6 {
			t.Errorf("%s: $%.4f more, want %.4f", name, got, c.more)
		}
	}
}

func TestPricesHaveTheirDate(t *testing.T) {
	prices := sizing.USEast1()
	for _, price := range []sizing.Price{prices.HTTPRequests, prices.LambdaRequests, prices.LambdaTime, prices.SQSRequests, prices.FIFORequests, prices.TableWrites, prices.TableReads, prices.TableStorage, prices.Logs, prices.Metric, prices.Alarm, prices.ObjectPuts, prices.ObjectGets, prices.ObjectStorage} {
		if _, err := time.Parse("2006-01", price.Date); err != nil || price.Dollars <= 0 || price.Source == "" || price.Of == "" {
			t.Errorf("%+v: %v", price, err)
		}
	}
}

// 33,000 jobs a second: which limits bind, and what lifts them.
func TestAtThePeakOfALargeSite(t *testing.T) {
	q := job.Queue{Name: "large", PeakArrivals: 33_000, ServiceTime: 200 * time.Millisecond, LongestWait: time.Minute, Batch: 10}
	p, err := sizing.For(q, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if p.Workers != 9430 || p.MaximumConcurrency != 943 || p.QueueShards() != 1 {
		t.Fatalf("%+v", p)
	}
	asked := map[string]float64{}
	for _, demand := range p.Scale(sizing.Extremes{}) {
		if demand.Ask {
			asked[demand.Quota.Name] = math.Round(demand.Need)
		}
		if demand.Ask != (demand.Advice != "") || demand.Formula == "" || demand.Quota.Source == "" || demand.Quota.Date == "" {
			t.Errorf("%+v", demand)
		}
	}
	want := map[string]float64{
		"Lambda: concurrent executions":                943 + 990 + 128,
		"DynamoDB: write units of a table":             33_000 + 2*47_150,
		"DynamoDB: write units that a new table bears": 33_000 + 2*47_150,
		"DynamoDB: read units that a new table bears":  33_000,
		"DynamoDB: write units of a partition":         33_000 + 2*47_150,
		"API Gateway: requests of the account":         66_000,
	}
	if fmt.Sprint(asked) != fmt.Sprint(want) {
		t.Errorf("asked for %v\nwant %v", asked, want)
	}
	slow := p.Scale(sizing.Extremes{Failures: 0.1, RetryWait: 10 * time.Minute})
	for _, demand := range slow {
		if demand.Quota.Name == "SQS: messages of a queue in flight" && (!demand.Ask || demand.Need != 9430+47_150*0.1*600) {
			t.Errorf("%+v", demand)
		}
	}
}

func FuzzBill(f *testing.F) {
	f.Add(20.0, 256, 1.0, int64(1000), int64(0), 14, false)
	f.Add(math.MaxFloat64, math.MaxInt32, -1.0, int64(math.MaxInt64), int64(math.MaxInt64), -1, true)
	f.Fuzz(func(t *testing.T, mean float64, memory int, polls float64, row, object int64, metrics int, inside bool) {
		if !(mean >= 0 && mean < 1e9 && math.Abs(polls) < 1e6) || memory < 0 || row < 0 || object < 0 {
			return
		}
		u := sizing.Usage{MeanArrivals: job.Rate(mean), MemoryMB: memory, Polls: polls, RowBytes: row, ObjectBytes: object, Metrics: metrics, Inside: inside}
		bill := planned(t, photos(), time.Minute).Bill(u, sizing.USEast1())
		for _, line := range bill.Lines {
			if !(line.Million >= 0 && line.Month >= 0) || math.IsInf(line.Million, 0) || math.IsInf(line.Month, 0) || line.Of == "" {
				t.Errorf("%+v: %+v", u, line)
			}
		}
		u.MemoryMB = orOne(u.MemoryMB) * 2
		if more := planned(t, photos(), time.Minute).Bill(u, sizing.USEast1()); memory > 0 && more.Million < bill.Million {
			t.Errorf("twice the memory costs %v instead of %v", more.Million, bill.Million)
		}
	})
}

func orOne(n int) int { return max(n, 1) }

func ExamplePlan_Bill() {
	plan, err := sizing.For(photos(), 50*time.Second)
	if err != nil {
		fmt.Println(err)
		return
	}
	bill := plan.Bill(sizing.Usage{MemoryMB: 1769}, sizing.USEast1())
	for _, line := range bill.Lines[:5] {
		fmt.Printf("%-16s %6.2f  %s\n", line.What, line.Million, line.Of)
	}
	// Output:
	// HTTP API           2.00  enqueue and 1 status poll
	// Lambda: enqueue    0.23  1 request, 10 ms at 256 MB
	// Lambda: status     0.22  1 request, 5 ms at 256 MB
	// Lambda: relay      0.01  1/100 request, 1 ms at 256 MB
	// Lambda: worker    69.30  1/1 request, 3 s at 1769 MB (3 s, 1 side by side)
}
