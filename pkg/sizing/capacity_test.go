package sizing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func TestPlansTogether(t *testing.T) {
	photo := planned(t, photos(), 50*time.Second)
	raised := photos()
	raised.Name, raised.MostWorkers = "raised", 900
	more := planned(t, raised, 50*time.Second)
	ordered := planned(t, job.Queue{Name: "ordered", PeakArrivals: 3000, ServiceTime: 100 * time.Millisecond, LongestWait: time.Minute, FIFO: true, Batch: 10}, time.Second)
	huge := planned(t, job.Queue{Name: "huge", PeakArrivals: 20_000, ServiceTime: 100 * time.Millisecond, LongestWait: time.Minute, Batch: 10}, time.Second)
	polled := photos()
	polled.Name, polled.Polled = "polled", true
	processes := planned(t, polled, time.Hour)
	ireland := sizing.DefaultQuotas()
	ireland.FIFORate.Value, ireland.TableWrites.Value = 70_000, 100_000
	db := func(most, perWorker int, queues ...string) sizing.Capacity {
		return sizing.Capacity{Databases: []sizing.Database{{Name: "orders", Most: most, PerWorker: perWorker, Queues: queues}}}
	}
	for name, c := range map[string]struct {
		capacity sizing.Capacity
		plans    []sizing.Plan
		says     string
	}{
		"a new account":                         {sizing.Capacity{}, []sizing.Plan{photo}, ""},
		"exactly all of it":                     {sizing.Capacity{Concurrency: 100, Others: 10}, []sizing.Plan{photo}, ""},
		"one too many":                          {sizing.Capacity{Concurrency: 100, Others: 11}, []sizing.Plan{photo}, "101 invocations may run at once (other functions 11, photos 90) and the account has 100: ask AWS for a concurrency of 200"},
		"all raised at once":                    {sizing.Capacity{Others: 20}, []sizing.Plan{photo, more}, "(other functions 20, photos 90, raised 900)"},
		"processes are no invocations":          {sizing.Capacity{Concurrency: 100}, []sizing.Plan{photo, processes}, ""},
		"a database that bears it":              {db(180, 2, "photos"), []sizing.Plan{photo, more}, ""},
		"a database that does not":              {db(179, 2, "photos"), []sizing.Plan{photo, more}, `database "orders": the workers hold up to 180 connections (photos 180) and it bears 179`},
		"a database of all, processes as well":  {db(179, 0), []sizing.Plan{photo, processes}, "(photos 90, polled 90)"},
		"a database of nobody":                  {db(10, 1, "nobody"), []sizing.Plan{photo}, `no queue "nobody" among the plans`},
		"a database that bears nothing":         {db(0, 1), []sizing.Plan{photo}, "say how many connections it bears"},
		"a table's writes":                      {sizing.Capacity{Concurrency: 5000}, []sizing.Plan{huge}, "write units of a table together and a table has 40000 by default: ask AWS for 77"},
		"a table with more":                     {sizing.Capacity{Concurrency: 5000, Quotas: &ireland}, []sizing.Plan{huge}, ""},
		"a FIFO queue's calls":                  {sizing.Capacity{}, []sizing.Plan{ordered}, "spread the groups over 2 queues"},
		"a FIFO queue's calls in a large place": {sizing.Capacity{Quotas: &ireland}, []sizing.Plan{ordered}, ""},
	} {
		err := c.capacity.Check(c.plans...)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v\nwant %q", name, err, c.says)
		}
	}
}

func TestCheckAllNamesQueuesInOrder(t *testing.T) {
	plans := map[string]sizing.Plan{}
	for _, name := range []string{"c", "a", "b"} {
		q := photos()
		q.Name = name
		plans[name] = planned(t, q, 50*time.Second)
	}
	if err := (sizing.Capacity{Concurrency: 200}).CheckAll(plans); err == nil || !strings.Contains(err.Error(), "a 90, b 90, c 90") {
		t.Error(err)
	}
}

// An exact limit costs two transactional writes for the one that makes a job.
func TestHardLimitsWriteMore(t *testing.T) {
	q := photos()
	plain, _ := sizing.FullBatches().TableAt(planned(t, q, 50*time.Second))
	q.Hard = true
	hard, reads := sizing.FullBatches().TableAt(planned(t, q, 50*time.Second))
	if plain != 80 || hard != 144 || reads != 20 {
		t.Errorf("%v units a second, %v with an exact limit, %v read", plain, hard, reads)
	}
}
