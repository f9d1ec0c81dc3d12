package sizing

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Capacity is what queues share: what an account allows, and what the systems behind
// their workers bear. The zero value is a new account with no database.
type Capacity struct {
	// Concurrency is how many invocations the account may have at once; zero means
	// AWS's default, 1000.
	Concurrency int
	// Others is what functions that are no workers need of it: API, relay, sweep, and
	// whatever else runs in the account.
	Others int
	// Databases are what the workers call, apart from the jobs table: each worker
	// with as many connections as PerWorker.
	Databases []Database
	// Calls are what a job costs in calls to AWS; the zero value means TypicalCalls.
	Calls Calls
	// Quotas are the account's; the zero value means DefaultQuotas.
	Quotas *Quotas
}

// A Database is what workers call and must not overload: a SQL server with a number of
// connections, a third party's API with a number of calls at once.
type Database struct {
	// Name is for messages.
	Name string
	// Most is how many connections, or concurrent writers, it bears. Required.
	Most int
	// PerWorker is how many of them a worker holds; zero means one.
	PerWorker int
	// Others is what is taken by others than workers.
	Others int
	// Queues are those whose workers use it; none means all.
	Queues []string
}

// Check reports where the plans together ask for more than there is, with the way
// out: concurrency, a database's connections, the table's throughput, a FIFO queue's.
// Workers count as many as they may be raised to (MostWorkers).
func (c Capacity) Check(plans ...Plan) error {
	quotas := DefaultQuotas()
	if c.Quotas != nil {
		quotas = *c.Quotas
	}
	if c.Calls == (Calls{}) {
		c.Calls = TypicalCalls()
	}
	problems := []error{c.checkConcurrency(quotas, plans), c.checkTable(quotas, plans)}
	for _, d := range c.Databases {
		problems = append(problems, d.check(plans))
	}
	for _, p := range plans {
		problems = append(problems, checkFIFO(quotas, p))
	}
	return errors.Join(problems...)
}

// CheckAll is Check for what ForTasks gives.
func (c Capacity) CheckAll(plans map[string]Plan) error {
	return c.Check(sorted(plans)...)
}

func sorted(plans map[string]Plan) []Plan {
	list := make([]Plan, 0, len(plans))
	for _, name := range slices.Sorted(maps.Keys(plans)) {
		list = append(list, plans[name])
	}
	return list
}

func (c Capacity) checkConcurrency(quotas Quotas, plans []Plan) error {
	if !counted(c.Concurrency, c.Others) {
		return fmt.Errorf("sizing: Capacity: Concurrency is %d and Others %d: neither is negative, or more than %d", c.Concurrency, c.Others, math.MaxInt32)
	}
	have := c.Concurrency
	if have == 0 {
		have = whole(quotas.Concurrency.Value)
	}
	need, parts := c.Others, []string{fmt.Sprintf("other functions %d", c.Others)}
	for _, p := range plans {
		if !p.Queue.Polled {
			need += p.MostConcurrency
			parts = append(parts, fmt.Sprintf("%s %d", p.Queue.Name, p.MostConcurrency))
		}
	}
	if need <= have {
		return nil
	}
	return fmt.Errorf("sizing: %d invocations may run at once (%s) and the account has %d: ask AWS for a concurrency of %d (Service Quotas, Lambda, concurrent executions), raise a queue's Utilisation or Bound, or let processes poll one (Polled)",
		need, strings.Join(parts, ", "), have, roundUp(need, 100))
}

func (d Database) check(plans []Plan) error {
	if d.Most < 1 || !counted(d.PerWorker, d.Others) {
		return fmt.Errorf("sizing: database %q: Most is %d, PerWorker %d, Others %d: say how many connections it bears, at least one, and no number that is negative or more than %d", d.Name, d.Most, d.PerWorker, d.Others, math.MaxInt32)
	}
	need, parts := d.Others, []string(nil)
	if d.Others > 0 {
		parts = []string{fmt.Sprintf("others %d", d.Others)}
	}
	known := map[string]bool{}
	for _, p := range plans {
		known[p.Queue.Name] = true
		if len(d.Queues) == 0 || slices.Contains(d.Queues, p.Queue.Name) {
			connections := whole(float64(p.MostWorkers) * float64(max(d.PerWorker, 1)))
			need += connections
			parts = append(parts, fmt.Sprintf("%s %d", p.Queue.Name, connections))
		}
	}
	for _, name := range d.Queues {
		if !known[name] {
			return fmt.Errorf("sizing: database %q: there is no queue %q among the plans", d.Name, name)
		}
	}
	if need <= d.Most {
		return nil
	}
	return fmt.Errorf("sizing: database %q: the workers hold up to %d connections (%s) and it bears %d: put a pool in front of it, raise it, or give the queues fewer workers (a higher Utilisation, a longer LongestWait with a lower peak, a lower MostWorkers)",
		d.Name, need, strings.Join(parts, ", "), d.Most)
}

func (c Capacity) checkTable(quotas Quotas, plans []Plan) error {
	var writes, reads float64
	for _, p := range plans {
		w, r := c.Calls.TableAt(p)
		writes, reads = writes+float64(w), reads+float64(r)
	}
	var problems []error
	for _, t := range []struct {
		need  float64
		quota Quota
	}{{writes, quotas.TableWrites}, {reads, quotas.TableReads}} {
		if t.need > t.quota.Value {
			problems = append(problems, fmt.Errorf("sizing: the queues need %.0f %s together and a table has %.0f by default: ask AWS for %.0f or more, give the table that warm throughput, and say so in Capacity.Quotas; or put queues into stacks of their own",
				t.need, strings.TrimPrefix(t.quota.Name, "DynamoDB: "), t.quota.Value, t.need))
		}
	}
	return errors.Join(problems...)
}

// checkFIFO counts each job as a call: groups of one job don't share a batch.
func checkFIFO(quotas Quotas, p Plan) error {
	if !p.Queue.FIFO || float64(p.Queue.PeakArrivals) <= quotas.FIFORate.Value {
		return nil
	}
	return fmt.Errorf("sizing: queue %q: %.0f jobs a second and a FIFO queue takes %.0f calls of a kind a second in the smallest Regions (up to 70,000 in the largest): say what yours has in Capacity.Quotas (FIFORate), spread the groups over %d queues, or do without order",
		p.Queue.Name, float64(p.Queue.PeakArrivals), quotas.FIFORate.Value, whole(float64(p.Queue.PeakArrivals)/quotas.FIFORate.Value)+1)
}

// counted tells whether numbers are ones that something can be counted by.
func counted(numbers ...int) bool {
	return !slices.ContainsFunc(numbers, func(n int) bool { return n < 0 || n > math.MaxInt32 })
}

func roundUp(n, step int) int { return (n + step - 1) / step * step }
