package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func runCounts(t *testing.T, construct Constructor) {
	tests := map[string]func(fixture){
		"a hard bound is never exceeded":            countsHold,
		"a repeated request takes one place":        countsOnce,
		"a place is given back once":                countsReleased,
		"a place is given back late":                countsReleasedLate,
		"a cancelled job's place is free at once":   countsCancelled,
		"a redriven job asks for its place again":   countsRedriven,
		"a unique job is counted":                   countsUnique,
		"jobs of a transaction are counted":         countsTransaction,
		"members of a batch are counted":            countsMembers,
		"a counter that was deleted begins at zero": countsDeleted,
		"a recount finds what is too many":          countsAgain,
		"a spilled job waits for its release":       spillWaits,
		"a spilled job is cancelled":                spillCancelled,
		"a spilled job is moved":                    spillMoved,
		"a spilled job is replaced":                 spillReplaced,
		"the spill is bounded":                      spillBounded,
		"one of two sweeps releases":                spillShared,
		"a release into a queue that is counted":    spillIntoHard,
		"only replacing":                            replaceOnly,
		"the later one wins, whatever comes first":  replaceAsOf,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(setup(t, construct)) })
	}
}

func hard(limit, shards int) func(*store.NewJob) {
	return func(n *store.NewJob) { n.Hard = &store.Bound{Limit: limit, Shards: shards} }
}

func spilled(limit, shards int) func(*store.NewJob) {
	return func(n *store.NewJob) { n.Spill = &store.Bound{Limit: limit, Shards: shards} }
}

// newJob is a job that is to be made.
func (f fixture) newJob(change ...func(*store.NewJob)) store.NewJob {
	f.Helper()
	id, err := f.jobs.NewID()
	if err != nil {
		f.Fatal(err)
	}
	n := store.NewJob{ID: id, Task: "photo.resize", Queue: "photos", Args: []byte(`{"key":"uploads/1"}`), MaxAttempts: 3}
	for _, c := range change {
		c(&n)
	}
	return n
}

// full fails unless there is no room for a job.
func (f fixture) full(change ...func(*store.NewJob)) {
	f.Helper()
	n := f.newJob(change...)
	if _, made, err := f.jobs.Create(f.Context(), n); made || !errors.Is(err, store.ErrFull) {
		f.Fatalf("made %v, %v; want ErrFull", made, err)
	}
	if _, err := f.jobs.Get(f.Context(), n.ID); !errors.Is(err, store.ErrNotFound) {
		f.Fatalf("a job without room: %v", err)
	}
}

// counted fails unless a count has so many jobs.
func (f fixture) counted(count store.Count, want int) {
	f.Helper()
	counters, err := f.jobs.Counters(f.Context(), count, "photos", 40)
	used := 0
	for _, c := range counters {
		used += c.Used
	}
	if err != nil || used != want {
		f.Fatalf("%d %s jobs are counted in %d shards, %v; want %d", used, count, len(counters), err, want)
	}
}

// release gives places back.
func (f fixture) release(want int, recs ...store.Record) {
	f.Helper()
	if n, err := f.jobs.Release(f.Context(), recs...); err != nil || n != want {
		f.Fatalf("%d places were given back, %v; want %d", n, err, want)
	}
}

func (f fixture) done(id job.ID) store.Record {
	f.Helper()
	return f.finish(f.claim(id), lifecycle.Outcome{To: lifecycle.Done})
}

func countsHold(f fixture) {
	for _, shards := range []int{1, 3, 20} {
		var all []store.Record
		for range 25 {
			all = append(all, f.enqueue(hard(25, shards)))
		}
		f.full(hard(25, shards))
		f.counted(store.CountHard, 25)
		var ended []store.Record
		for _, rec := range all[5:] {
			ended = append(ended, f.done(rec.ID))
		}
		f.full(hard(25, shards)) // ended, and not given back
		f.release(20, ended...)
		for range 20 {
			all = append(all, f.enqueue(hard(25, shards)))
		}
		f.full(hard(25, shards))
		for _, rec := range append(all[:5:5], all[25:]...) {
			f.release(1, f.done(rec.ID))
		}
		f.counted(store.CountHard, 0)
	}
}

func countsOnce(f fixture) {
	n := f.newJob(hard(2, 1), func(n *store.NewJob) { n.Fingerprint = "f" })
	for i := range 5 {
		if _, made, err := f.jobs.Create(f.Context(), n); err != nil || made != (i == 0) {
			f.Fatalf("call %d: made %v, %v", i, made, err)
		}
	}
	f.counted(store.CountHard, 1)
	f.enqueue(hard(2, 1))
	if _, made, err := f.jobs.Create(f.Context(), n); err != nil || made {
		f.Errorf("the same request to a full queue: made %v, %v", made, err)
	}
	n.Fingerprint = "g"
	if _, _, err := f.jobs.Create(f.Context(), n); !errors.Is(err, store.ErrOtherRequest) {
		f.Errorf("another request: %v", err)
	}
	f.counted(store.CountHard, 2)
}

func countsUnique(f fixture) {
	first := f.only(daily, hard(1, 1))
	f.taken(daily, first.ID, hard(1, 1)) // needs no place
	f.counted(store.CountHard, 1)
	f.full(hard(1, 1), func(n *store.NewJob) { n.Unique = &store.Unique{Key: "another"} })
	dead := f.finish(f.claim(first.ID), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("no")})
	f.release(1, dead)
	second := f.only(daily, hard(1, 1))
	if _, err := f.jobs.Redrive(f.Context(), f.get(first.ID)); !errors.Is(err, store.ErrDuplicate) && !errors.Is(err, store.ErrFull) {
		f.Errorf("a redrive without key and place: %v", err)
	}
	f.release(1, f.done(second.ID))
	f.must(f.jobs.Redrive(f.Context(), f.get(first.ID)))
	f.counted(store.CountHard, 1)
}

func countsTransaction(f fixture) {
	key := func(name string) store.Item {
		return store.Item{store.PartitionKey: &types.AttributeValueMemberS{Value: name}, store.SortKey: &types.AttributeValueMemberS{Value: "x"}}
	}
	row := func(name string) store.Write {
		return store.Write{Op: store.Put, Item: key(name), Condition: "attribute_not_exists(pk)"}
	}
	jobs := []store.NewJob{f.newJob(hard(5, 2)), f.newJob(), f.newJob(hard(5, 2)), f.newJob(spilled(9, 1))}
	if err := f.jobs.TransactMaking(f.Context(), jobs, row("a")); err != nil {
		f.Fatal(err)
	}
	f.counted(store.CountHard, 2)
	f.counted(store.CountSpilled, 1)
	f.want(jobs[3].ID, lifecycle.Scheduled)
	var failed *store.ConditionError
	if err := f.jobs.TransactMaking(f.Context(), jobs, row("b")); !errors.As(err, &failed) || failed.Index != 1 {
		f.Errorf("the same jobs again: %v", err)
	}
	pair := []store.NewJob{f.newJob(hard(5, 2)), f.newJob(hard(5, 2))}
	if err := f.jobs.TransactMaking(f.Context(), pair, row("a")); !errors.As(err, &failed) || failed.Index != 0 {
		f.Errorf("a row that is there: %v", err)
	}
	if err := f.jobs.TransactMaking(f.Context(), pair, row("c")); err != nil {
		f.Fatal(err) // the first shard has three places, the second two: each has room for two
	}
	many := []store.NewJob{f.newJob(hard(5, 2)), f.newJob(hard(5, 2))}
	if err := f.jobs.TransactMaking(f.Context(), many, row("d")); !errors.Is(err, store.ErrFull) {
		f.Errorf("one place for two: %v", err)
	}
	if item, err := f.driver.Get(f.Context(), key("d")); item != nil || err != nil {
		f.Errorf("the refused transaction left %v, %v", item, err)
	}
	f.counted(store.CountHard, 4)
}

func countsMembers(f fixture) {
	b, _, err := f.jobs.CreateBatch(f.Context(), store.NewBatch{ID: "b", Total: 4, After: store.FollowUp{Task: "after", Queue: "other", MaxAttempts: 1, Args: []byte(`{}`)}})
	if err != nil {
		f.Fatal(err)
	}
	members := func(limit int) []store.NewJob {
		var all []store.NewJob
		for i := range 4 {
			follow, err := store.NewFollow(nil, b.Member(i))
			if err != nil {
				f.Fatal(err)
			}
			all = append(all, f.newJob(hard(limit, 1), func(n *store.NewJob) { n.ID, n.Follow = job.Member(b.Seed, i), follow }))
		}
		return all
	}
	if err := f.jobs.CreateAll(f.Context(), members(3)); !errors.Is(err, store.ErrFull) {
		f.Errorf("four members in three places: %v", err)
	}
	f.counted(store.CountHard, 3)
	if err := f.jobs.CreateAll(f.Context(), members(4)); err != nil { // goes on
		f.Fatal(err)
	}
	f.counted(store.CountHard, 4)
	for i := range 4 {
		f.release(1, f.done(job.Member(b.Seed, i)))
	}
	f.counted(store.CountHard, 0)
	f.get(b.Job)
}

func countsDeleted(f fixture) {
	first, second := f.enqueue(hard(9, 1)), f.enqueue(hard(9, 1))
	for _, key := range f.counterKeys() {
		if _, err := f.driver.Write(f.Context(), store.Write{Op: store.Delete, Key: key}); err != nil {
			f.Fatal(err)
		}
	}
	f.release(2, f.done(first.ID), f.done(second.ID))
	f.counted(store.CountHard, 0)
}

// counterKeys are those of all counters' rows.
func (f fixture) counterKeys() (keys []store.Item) {
	f.Helper()
	page, err := f.driver.Scan(f.Context(), store.Scan{})
	if err != nil {
		f.Fatal(err)
	}
	for _, item := range page.Items {
		if item["used"] != nil {
			keys = append(keys, store.Item{store.PartitionKey: item[store.PartitionKey], store.SortKey: item[store.SortKey]})
		}
	}
	return keys
}

func countsAgain(f fixture) {
	var kept []store.Record
	for range 4 {
		kept = append(kept, f.enqueue(hard(9, 1)))
	}
	for _, key := range f.counterKeys() { // as if the rows of two jobs had been deleted
		_, err := f.driver.Write(f.Context(), store.Write{
			Op: store.Update, Key: key, Update: "ADD used :two", Values: store.Item{":two": &types.AttributeValueMemberN{Value: "2"}},
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	f.counted(store.CountHard, 6)
	counters := func() []store.Counter {
		all, err := f.jobs.Counters(f.Context(), store.CountHard, "photos", 1)
		if err != nil {
			f.Fatal(err)
		}
		return all
	}
	f.clock.Advance(time.Minute)
	pass := f.clock.Now()
	for _, c := range counters() {
		if err := f.jobs.BeginRecount(f.Context(), c, pass); err != nil {
			f.Fatal(err)
		}
	}
	f.clock.Advance(time.Minute)
	// While the pass goes on one ends and is released, and two are made.
	ended := f.done(kept[0].ID)
	f.release(1, ended)
	made := []store.Record{f.enqueue(hard(9, 1)), f.enqueue(hard(9, 1))}
	for _, rec := range append(kept, made...) {
		rec = f.get(rec.ID)
		for _, c := range rec.CountedAt(pass) {
			if err := f.jobs.AddSeen(f.Context(), c, pass, 1); err != nil {
				f.Fatal(err)
			}
		}
	}
	for range 2 { // the second finds it done
		for _, c := range counters() {
			if _, err := f.jobs.EndRecount(f.Context(), c, pass); err != nil {
				f.Fatal(err)
			}
		}
		f.counted(store.CountHard, 5) // three that were there, two that were made
	}
}
