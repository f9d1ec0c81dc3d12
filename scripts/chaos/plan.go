package main

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

// onePoisonIn is how many jobs there are to one that must die.
const onePoisonIn = 50

// aGroup is about how many jobs a group of the FIFO queue has.
const aGroup = 40

// A planned job is one that will be asked for, and what is to become of it.
type planned struct {
	work.Request
	kind string
	// poison jobs are to be dead, with this code.
	poison string
	// runs is how many runs a job takes that ends well, where nothing goes wrong.
	runs int
	// cancel and move are asked for as soon as the job is accepted.
	cancel, move bool

	// What came of asking. Each is written by the lane that the job is in, and
	// read when all lanes have ended.
	accepted  bool
	cancelled string // the state that the cancellation answered
}

// A plan is all jobs of a run. The same seed and number make the same plan.
type plan struct {
	jobs []*planned
	byID map[job.ID]*planned
	// groups has the jobs of each group in their order.
	groups map[string][]*planned
}

// A kind of job: how often it is drawn, and what it is.
type kind struct {
	name   string
	weight int
	make   func(r *rand.Rand, p *planned)
}

func kinds() []kind {
	task := func(t job.Defined) string { return t.Definition().Name }
	simple := func(t job.Defined) func(*rand.Rand, *planned) {
		return func(_ *rand.Rand, p *planned) { p.Task = task(t) }
	}
	later := func(cancel, move bool, from, to time.Duration) func(*rand.Rand, *planned) {
		return func(r *rand.Rand, p *planned) {
			p.Task, p.cancel, p.move = task(work.Pass), cancel, move
			p.In = from + time.Duration(r.Int64N(int64(to-from))).Truncate(time.Millisecond)
		}
	}
	long := func(cancel bool) func(*rand.Rand, *planned) {
		return func(r *rand.Rand, p *planned) {
			p.Task, p.cancel, p.Arguments.Wait = task(work.Long), cancel, 200+r.IntN(600)
		}
	}
	return []kind{
		{"quick", 38, simple(work.Pass)},
		{"with a result", 8, func(r *rand.Rand, p *planned) { p.Task, p.Arguments.Seq = task(work.Sum), r.IntN(1000) }},
		{"fails once or twice", 12, func(r *rand.Rand, p *planned) { p.Task, p.Arguments.Fails = task(work.Flaky), 1+r.IntN(2) }},
		{"snoozes", 7, func(r *rand.Rand, p *planned) { p.Task, p.Arguments.Wait = task(work.Snooze), 1000+r.IntN(3000) }},
		{"continues", 7, func(r *rand.Rand, p *planned) {
			p.Task, p.Arguments.Steps = task(work.Walk), 1+r.IntN(4)
			p.runs = p.Arguments.Steps + 1
		}},
		{"slow", 7, long(false)},
		{"in order", 10, func(r *rand.Rand, p *planned) {
			p.Task = task(work.Line)
			if r.IntN(10) == 0 {
				p.Arguments.Fails = 1
			}
		}},
		{"delayed", 4, later(false, false, time.Second, 8*time.Second)},
		{"scheduled, moved", 2, later(false, true, 20*time.Minute, time.Hour)},
		{"scheduled, cancelled", 2, later(true, false, 20*time.Minute, time.Hour)},
		{"delayed, cancelled", 1, later(true, false, 2*time.Second, 6*time.Second)},
		{"slow, cancelled", 2, long(true)},
	}
}

// poisons are taken in turn: half of them fail for good, half take their process
// with them. The one that takes longest to die is the last.
func poisons() []kind {
	die := func(name, how string, t job.Defined) kind {
		return kind{name: name, make: func(_ *rand.Rand, p *planned) {
			p.Task, p.Arguments.How, p.poison = t.Definition().Name, how, "worker_died"
		}}
	}
	fatal := kind{name: "fails for good", make: func(_ *rand.Rand, p *planned) { p.Task, p.poison = work.Fatal.Definition().Name, work.Code }}
	inLine := kind{name: "in order, fails for good", make: func(_ *rand.Rand, p *planned) {
		p.Task, p.Arguments.How, p.poison = work.Line.Definition().Name, "fatal", work.Code
	}}
	return []kind{
		fatal, die("kills its process", "kill", work.Die), inLine, die("ends its process", "exit", work.Die),
		fatal, die("takes all memory", "memory", work.Die), fatal, die("kills its process, twice", "kill", work.DieTwice),
	}
}

// newPlan draws n jobs.
func newPlan(seed uint64, n int) *plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &plan{byID: map[job.ID]*planned{}, groups: map[string][]*planned{}}
	bad := poisons()
	groups := max(2, n/10/aGroup)
	for i := range n {
		k := drawn(r)
		if i%onePoisonIn == onePoisonIn/2 {
			k = bad[i/onePoisonIn%len(bad)]
		}
		j := &planned{kind: k.name, runs: 1}
		j.ID = idOf(seed, i)
		k.make(r, j)
		id := j.ID
		if j.Task == work.Line.Definition().Name {
			j.Group = "group-" + strconv.Itoa(r.IntN(groups))
			p.groups[j.Group] = append(p.groups[j.Group], j)
			j.Arguments.Seq = len(p.groups[j.Group])
			id = id.InGroup(work.Ordered.Name, j.Group)
		}
		p.jobs = append(p.jobs, j)
		p.byID[id] = j
	}
	return p
}

func drawn(r *rand.Rand) kind {
	all := kinds()
	sum := 0
	for _, k := range all {
		sum += k.weight
	}
	at := r.IntN(sum)
	for _, k := range all {
		if at -= k.weight; at < 0 {
			return k
		}
	}
	panic("unreachable: the weights add up to sum")
}

// idOf gives the id of the run's ith job. A request that is repeated must name the
// same.
func idOf(seed uint64, i int) job.ID {
	text := binary.BigEndian.AppendUint64(nil, seed)
	text = binary.BigEndian.AppendUint64(text, uint64(i))
	sum := sha256.Sum256(text)
	return job.IDOf([16]byte(sum[:16]))
}

// rowID is the id that the job's row has.
func (j *planned) rowID() job.ID {
	if j.Group == "" {
		return j.ID
	}
	return j.ID.InGroup(work.Ordered.Name, j.Group)
}
