package producer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// shelf is an object storage that may be down, and tells in which order things
// are written.
type shelf struct {
	*memobjects.Driver
	fail  error
	order *[]string
}

func (s *shelf) Put(ctx context.Context, key string, data []byte) error {
	*s.order = append(*s.order, "object")
	if s.fail != nil {
		return s.fail
	}
	return s.Driver.Put(ctx, key, data)
}

func (s *shelf) Write(ctx context.Context, d store.Driver, w store.Write) (store.Item, error) {
	*s.order = append(*s.order, "row")
	return d.Write(ctx, w)
}

type ordered struct {
	store.Driver
	shelf *shelf
}

func (o ordered) Write(ctx context.Context, w store.Write) (store.Item, error) {
	return o.shelf.Write(ctx, o.Driver, w)
}

const wholeShelf = 1 << 20

var (
	keep       = job.Define[blob]("blob.keep", job.Policy{Queue: load("blobs"), MaxArguments: wholeShelf})
	keepInTurn = job.Define[blob]("blob.turn", job.Policy{Queue: fifo(), MaxArguments: wholeShelf})
	keepNewest = job.Define[blob]("blob.newest", job.Policy{Queue: load("blobs"), MaxArguments: producer.MostArguments, Unique: job.Uniqueness{NewestWins: true}})
)

// sized are arguments that encode to so many bytes.
func sized(n int) blob { return blob{Text: strings.Repeat("x", n-len(`{"data":"","text":""}`))} }

func newClaimChecker(t *testing.T, over int) (*producer.Producer, *store.Jobs, *driver, *shelf) {
	t.Helper()
	s := &shelf{Driver: memobjects.New(nil), order: new([]string)}
	objects, err := claimcheck.New(s)
	if err != nil {
		t.Fatal(err)
	}
	_, _, d := newProducer(t)
	d.Driver = ordered{d.Driver, s}
	jobs, err := store.New(store.Config{Driver: d})
	if err != nil {
		t.Fatal(err)
	}
	p, err := producer.New(producer.Config{Jobs: jobs, Objects: objects, ClaimCheckOver: over}, keep, keepInTurn, keepNewest)
	if err != nil {
		t.Fatal(err)
	}
	return p, jobs, d, s
}

// What counts is the whole of what is written. In the row up to
// the limit, in an object beyond it, and never refused.
func TestClaimCheckAtTheLimit(t *testing.T) {
	for _, c := range []struct {
		over, size, beside int
		object             bool
	}{
		{0, claimcheck.DefaultOver, 0, false},
		{0, claimcheck.DefaultOver + 1, 0, true},
		{100, 100, 0, false},
		{100, 101, 0, true},
		{262144, 262144, 0, false},
		{262144, 262145, 0, true},
		{producer.MostArguments, producer.MostArguments, 0, false},
		{producer.MostArguments, producer.MostArguments, 60 << 10, false},
		{producer.MostArguments, producer.MostArguments, 64 << 10, true},
		{producer.MostArguments, producer.MostArguments, 300 << 10, true},
		{producer.MostArguments, producer.MostArguments + 1, 0, true},
		{0, wholeShelf, 0, true},
	} {
		p, jobs, d, s := newClaimChecker(t, c.over)
		rec, made, err := p.Make(t.Context(), keep.With(sized(c.size)), job.ByClient(strings.Repeat("t", c.beside)))
		if err != nil || !made || d.writes != 1 {
			t.Errorf("%+v: made %v by %d writes, %v", c, made, d.writes, err)
			continue
		}
		if (rec.ArgsObject != nil) != c.object || (len(rec.Args) == 0) != c.object {
			t.Errorf("%+v: %d bytes in the row, object %+v", c, len(rec.Args), rec.ArgsObject)
		}
		stored, err := jobs.Get(t.Context(), rec.ID)
		if err != nil {
			t.Fatal(err)
		}
		if c.object {
			claim := stored.ArgsObject
			if claim == nil || claim.Bytes != int64(c.size) || !strings.HasPrefix(claim.Key, "jobs/"+string(rec.ID)+"/args-") || len(stored.Args) != 0 {
				t.Errorf("%+v: the row claims %+v", c, claim)
			}
			if data, err := s.Get(t.Context(), claim.Key, wholeShelf); err != nil || len(data) != c.size {
				t.Errorf("%+v: the object has %d bytes, %v", c, len(data), err)
			}
			if want := []string{"object", "row"}; !slices.Equal(*s.order, want) {
				t.Errorf("%+v: written in the order %v", c, *s.order)
			}
		}
		// However full the row is, it can be claimed and can fail.
		claim, err := jobs.Claim(t.Context(), rec.ID, store.Lease{Token: "token", Until: time.Now().Add(time.Minute)})
		if err != nil || !claim.Granted {
			t.Errorf("%+v: claiming: %+v, %v", c, claim.Finding, err)
			continue
		}
		if _, err := jobs.Finish(t.Context(), claim.Record, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New(strings.Repeat("e", 9000))}); err != nil {
			t.Errorf("%+v: burying: %v", c, err)
		}
	}
}

func TestARowThatOptionsFill(t *testing.T) {
	p, _, d, s := newClaimChecker(t, 0)
	_, err := p.Enqueue(t.Context(), keep.With(blob{}), job.ByClient(strings.Repeat("t", 390<<10)))
	if !errors.Is(err, producer.ErrTooLarge) || d.writes != 0 || len(s.Keys()) != 0 {
		t.Errorf("%v after %d writes", err, d.writes)
	}
	plain, _, d := newProducer(t)
	_, err = plain.Enqueue(t.Context(), post.With(note{Text: strings.Repeat("x", 256<<10-100)}), job.Group("g"), job.ByClient(strings.Repeat("t", 140<<10)))
	if !errors.Is(err, producer.ErrTooLarge) || !strings.Contains(err.Error(), "Config.Objects") || d.writes != 0 {
		t.Errorf("without objects: %v after %d writes", err, d.writes)
	}
}

// The object is there before the row, or no row is made.
func TestAStorageThatIsDownMakesNoJob(t *testing.T) {
	p, _, d, s := newClaimChecker(t, 0)
	s.fail = errors.New("SlowDown")
	rec, made, err := p.Make(t.Context(), keep.With(sized(9000)))
	if !errors.Is(err, claimcheck.ErrUnavailable) || made || rec.ID != "" || d.writes != 0 {
		t.Errorf("%s, made %v by %d writes, %v", rec.ID, made, d.writes, err)
	}
	if _, err := p.Enqueue(t.Context(), keep.With(sized(8000))); err != nil {
		t.Errorf("what goes into the row is taken: %v", err)
	}
	s.fail, d.fail = nil, store.ErrThrottled
	if _, err := p.Enqueue(t.Context(), keep.With(sized(9000))); !errors.Is(err, store.ErrThrottled) || len(s.Keys()) != 1 {
		t.Errorf("no row: %v, and %d objects; want one orphan", err, len(s.Keys()))
	}
}

// The object of a job is never written again: not by its own request, and not by
// a stranger's that uses its id.
func TestARequestThatComesAgainLeavesTheObjectAlone(t *testing.T) {
	for name, c := range map[string]struct {
		task  job.Task[blob]
		group []job.Option
	}{"standard": {keep, nil}, "FIFO": {keepInTurn, []job.Option{job.Group("a/../~b.c")}}} {
		t.Run(name, func(t *testing.T) {
			p, jobs, _, s := newClaimChecker(t, 0)
			id := job.IDOf([16]byte{7})
			first, made, err := p.Make(t.Context(), c.task.With(sized(9000)), append(c.group, job.WithID(id, "f"))...)
			if err != nil || !made || first.ArgsObject == nil {
				t.Fatalf("%+v, %v, %v", first, made, err)
			}
			again, made, err := p.Make(t.Context(), c.task.With(sized(9000)), append(c.group, job.WithID(id, "f"))...)
			if err != nil || made || again.ID != first.ID || *again.ArgsObject != *first.ArgsObject {
				t.Errorf("again: %+v, made %v, %v", again.ArgsObject, made, err)
			}
			if _, _, err := p.Make(t.Context(), c.task.With(sized(9500)), append(c.group, job.WithID(id, "g"))...); !errors.Is(err, producer.ErrOtherRequest) {
				t.Errorf("another request: %v", err)
			}
			rec, err := jobs.Get(t.Context(), first.ID)
			if err != nil || *rec.ArgsObject != *first.ArgsObject {
				t.Errorf("the row claims %+v, %v", rec.ArgsObject, err)
			}
			if data, err := s.Get(t.Context(), first.ArgsObject.Key, wholeShelf); err != nil || len(data) != 9000 {
				t.Errorf("the first object has %d bytes, %v", len(data), err)
			}
			for _, key := range s.Keys() {
				if owner, ok := claimcheck.JobOf(key); !ok || owner != first.ID {
					t.Errorf("%s belongs to %q", key, owner)
				}
			}
		})
	}
}

// Where the newest wins, arguments may go to another job's row: they stay in it.
func TestTheNewestStaysInTheRow(t *testing.T) {
	p, jobs, _, s := newClaimChecker(t, 0)
	old, err := p.Enqueue(t.Context(), keepNewest.With(sized(9000)), job.Unique("k"), job.In(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := p.Enqueue(t.Context(), keepNewest.With(sized(300<<10)), job.Unique("k")); err != nil || again != old {
		t.Errorf("%s, %v; want %s", again, err, old)
	}
	rec, err := jobs.Get(t.Context(), old)
	if err != nil || rec.ArgsObject != nil || len(rec.Args) != 300<<10 || len(s.Keys()) != 0 {
		t.Errorf("%d bytes in the row, object %+v, %v", len(rec.Args), rec.ArgsObject, err)
	}
}

// A limit that could never hold is refused at the start.
func TestClaimCheckSettings(t *testing.T) {
	objects, err := claimcheck.New(memobjects.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	_, jobs, _ := newProducer(t)
	task := func(most int, newest bool) job.Task[blob] {
		return job.Define[blob]("blob.keep", job.Policy{Queue: load("blobs"), MaxArguments: most, Unique: job.Uniqueness{NewestWins: newest}})
	}
	for name, c := range map[string]struct {
		objects *claimcheck.Objects
		over    int
		task    job.Task[blob]
		says    string
	}{
		"none":                           {nil, 0, task(0, false), ""},
		"all defaults":                   {objects, 0, task(0, false), ""},
		"a byte":                         {objects, 1, task(0, false), ""},
		"all that a row holds":           {objects, producer.MostArguments, task(claimcheck.MaxBytes, false), ""},
		"more than a row holds":          {objects, producer.MostArguments + 1, task(0, false), "at most 327680"},
		"SQS's limit":                    {objects, 1048576, task(0, false), "at most 327680"},
		"negative":                       {objects, -1, task(0, false), "0 (the default) or more"},
		"over without objects":           {nil, 100, task(0, false), "claimcheck.New"},
		"large arguments, no objects":    {nil, 0, task(producer.MostArguments+1, false), "Config.Objects"},
		"very large arguments":           {objects, 0, task(claimcheck.MaxBytes+1, false), "at most 16777216"},
		"large arguments of the newest":  {objects, 0, task(producer.MostArguments+1, true), "at most 327680"},
		"the newest, as large as can be": {objects, 0, task(producer.MostArguments, true), ""},
	} {
		_, err := producer.New(producer.Config{Jobs: jobs, Objects: c.objects, ClaimCheckOver: c.over}, c.task)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
