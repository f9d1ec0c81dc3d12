package nightshifttest_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A printer stands for a test's *testing.T, which an example has none of: it prints
// failures.
type printer struct{ testing.TB }

func (printer) Helper()                           {}
func (printer) Context() context.Context          { return context.Background() }
func (printer) Output() io.Writer                 { return os.Stderr }
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printer) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

var (
	t   printer
	ctx = context.Background()
)

// A toolkit's user tests a sign-up that sends a mail in the background.
type site struct{ kit *nightshifttest.Kit }

func (s site) signUp(name string) (job.ID, error) {
	return s.kit.Producer.Enqueue(ctx, sendMail.With(Mail{To: name}), job.In(time.Minute), job.Unique(name))
}

func Example() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, sendMail)
	kit.Serve(worker.HandleResult(sendMail, func(_ context.Context, j *job.Job[Mail]) (Sent, error) {
		if j.Attempt == 1 {
			return Sent{}, errAway
		}
		return Sent{Receipt: "for " + j.Args.To}, nil
	}))

	id, err := site{kit}.signUp("ada")
	fmt.Println(err, kit.State(id))
	kit.RunAll(ctx)
	fmt.Println(nightshifttest.Result[Sent](kit, id).Receipt, "after", kit.Now().Sub(nightshifttest.DefaultStart))
	// Output:
	// <nil> queued
	// for ada after 2m0s
}

// What was enqueued is typed, and has its options.
func ExampleWantEnqueued() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, sendMail)
	if _, err := (site{kit}).signUp("ada"); err != nil {
		panic(err)
	}
	jobs := nightshifttest.WantEnqueued(kit, sendMail, Mail{To: "ada"})
	fmt.Println(jobs[0].Args.To, jobs[0].Delay, jobs[0].Key)
	// Output: ada 1m0s ada
}

// Where it is not what was wanted, the test says what was.
func ExampleWantEnqueued_failure() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, sendMail)
	for _, name := range []string{"ada", "bob"} {
		if _, err := (site{kit}).signUp(name); err != nil {
			panic(err)
		}
	}
	nightshifttest.WantEnqueued(kit, sendMail, Mail{To: "ada"})
	// Output:
	// nightshifttest: 2 jobs of mail.send were enqueued, want 1:
	//     mj2kpyby5tdqkpr5aedsb2wxpw {"to":"ada"} key "ada" in 1m0s
	//     xyjsa1f9q1p82s074pjgkah06r {"to":"bob"} key "bob" in 1m0s
}

func ExampleEnqueued() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, counting)
	for _, shelf := range []string{"soups", "cakes"} {
		if _, err := kit.Producer.Enqueue(ctx, counting.With(Count{Shelf: shelf}), job.Group(shelf)); err != nil {
			panic(err)
		}
	}
	for _, j := range nightshifttest.Enqueued(kit, counting) {
		fmt.Println(j.Args.Shelf, "in group", j.Group)
	}
	// Output:
	// soups in group soups
	// cakes in group cakes
}

func ExampleEnqueuedOne() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, sendMail)
	if _, err := (site{kit}).signUp("ada"); err != nil {
		panic(err)
	}
	fmt.Println(nightshifttest.EnqueuedOne(kit, sendMail).Args.To)
	// Output: ada
}

// One run of a handler, its verdict and its writes.
func ExampleRun() {
	ran := nightshifttest.Run(t, index, Mail{To: "ada"}, func(ctx context.Context, j *job.Job[Mail]) error {
		return worker.Commit(ctx, j, store.Write{
			Op: store.Put, Table: "index", Item: store.Item{"name": &types.AttributeValueMemberS{Value: j.Args.To}},
		})
	}, nightshifttest.Given{Tables: map[string][]string{"index": {"name"}}})
	fmt.Println(ran.State, len(ran.Committed), ran.Committed[0].Table)

	ran = nightshifttest.Run(t, index, Mail{To: "ada"}, func(context.Context, *job.Job[Mail]) error {
		return job.RetryAfter(5*time.Minute, errAway)
	}, nightshifttest.Given{Attempt: 2})
	fmt.Println(ran.State, "again in", ran.Wait)
	// Output:
	// done 1 index
	// queued again in 5m0s
}

// Long work in parts: a run is given the cursor of the one before.
func ExampleRunResult() {
	ran := nightshifttest.RunResult(t, sendMail, Mail{To: "everyone"}, func(ctx context.Context, j *job.Job[Mail]) (Sent, error) {
		from, _, err := job.Cursor[int](j)
		if err != nil {
			return Sent{}, job.Fail(err)
		}
		if err := worker.Progress(ctx, j, map[string]int{"sent": from + 100}); err != nil {
			return Sent{}, err
		}
		return Sent{}, job.Continue(from + 100)
	}, nightshifttest.Given{Cursor: 300})
	fmt.Println(ran.State, ran.Spent, string(ran.Cursor), string(ran.Progress))
	// Output: queued false 400 {"sent":400}
}

// The first message's job succeeds, the second's fails and comes again.
func ExampleInvoke() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, index)
	w := kit.Serve(worker.Handle(index, func(_ context.Context, j *job.Job[Mail]) error {
		if j.Args.To == "bob" {
			return job.Snooze(time.Minute)
		}
		return nil
	}))
	for id, name := range map[job.ID]string{"01hz7vq3k8m5n9p2r4s6t8w0xy": "ada", "01hz7vq3k8m5n9p2r4s6t8w0xz": "bob"} {
		if _, err := kit.Producer.Enqueue(ctx, index.With(Mail{To: name}), job.WithID(id, "")); err != nil {
			panic(err)
		}
	}
	fmt.Println(nightshifttest.Invoke(t, w, "testdata/mails.json"))
	// Output: [2e1424d4-f796-459a-8184-9c92662be6da]
}

// A death between a handler's return and its being written down runs the job again.
func ExampleConfig_duplicates() {
	kit := nightshifttest.New(t, nightshifttest.Config{Duplicates: true}, index)
	mails := 0
	kit.Serve(worker.Handle(index, func(context.Context, *job.Job[Mail]) error {
		mails++ // an effect in somebody else's hands
		return nil
	}))
	id, err := kit.Producer.Enqueue(ctx, index.With(Mail{To: "ada"}))
	if err != nil {
		panic(err)
	}
	kit.RunAll(ctx)
	fmt.Println(kit.State(id), mails)
	// Output: done 2
}

// Schedules fire while the clock moves.
func ExampleKit_Schedule() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, index)
	kit.Schedule(periodic.Job{
		Name: "digest", Expression: "rate(1 day)",
		Request: func(day time.Time) job.Request { return index.With(Mail{To: day.Format("Monday")}) },
	})
	kit.Advance(ctx, 48*time.Hour)
	for _, j := range nightshifttest.Enqueued(kit, index) {
		fmt.Println(j.Args.To, j.EnqueuedAt.Format("15:04"))
	}
	// Output:
	// Tuesday 00:00
	// Wednesday 00:00
}

func ExampleKit_History() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, sendMail)
	kit.Serve(worker.HandleResult(sendMail, func(context.Context, *job.Job[Mail]) (Sent, error) { return Sent{}, job.Fail(errAway) }))
	id, err := kit.Producer.Enqueue(ctx, sendMail.With(Mail{To: "ada"}))
	if err != nil {
		panic(err)
	}
	kit.RunAll(ctx)
	for _, step := range kit.History(id) {
		fmt.Println(step.At.Format("15:04:05"), step.State, "-", step.What)
	}
	fmt.Println(kit.State(id) == lifecycle.Dead, kit.Letters(mails)[0].Reason)
	// Output:
	// 09:00:00 queued - enqueued
	// 09:00:00 running - attempt 1 begins
	// 09:00:00 dead - dead (failed: the mail server is away)
	// true the mail server is away
}

// A recipe is published; every subscriber's job runs.
func ExampleWantPublished() {
	type Published struct {
		ID string `json:"id"`
	}
	recipes := job.Topic{Name: "recipes"}
	published := job.DefineEvent[Published]("recipe.published", recipes)
	search := job.On(published, job.Define[Published]("search.index", job.Policy{Queue: job.Queue{Name: "search", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute}}))
	inbox := job.On(published, job.Define[Published]("inbox.tell", job.Policy{Queue: job.Queue{Name: "inbox", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute}}))

	kit := nightshifttest.New(t, nightshifttest.Config{Topics: []job.Topic{recipes}}, search.Task(), inbox.Task())
	say := func(what string) func(context.Context, *job.Job[Published]) error {
		return func(_ context.Context, j *job.Job[Published]) error {
			fmt.Println(what, j.Args.ID)
			return nil
		}
	}
	kit.Serve(worker.On(search, say("index")))
	kit.Serve(worker.On(inbox, say("tell of")))

	// The code under test is given kit.Outbox.
	if err := kit.Outbox.Transact(ctx, outbox.Publish(published.With("recipe/7", Published{ID: "7"}))); err != nil {
		fmt.Println(err)
	}
	nightshifttest.WantPublished(kit, published, Published{ID: "7"})
	kit.RunAll(ctx)
	nightshifttest.WantEnqueued(kit, search.Task(), Published{ID: "7"})
	// Output:
	// index 7
	// tell of 7
}
