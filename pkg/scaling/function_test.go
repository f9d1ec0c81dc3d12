package scaling_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func TestNothingIsDoneWithoutNeed(t *testing.T) {
	w := newWorld(t)
	w.minutes(10)
	for name, m := range w.maps {
		if m.sets != 0 {
			t.Errorf("%s was changed", name)
		}
	}
	if marks, err := w.jobs().Marks(t.Context(), "scaling#queue#"); err != nil || len(marks) != 0 {
		t.Errorf("%v, %v", marks, err)
	}
}

func TestConcurrencyFollowsTheBacklogAndComesBack(t *testing.T) {
	w := newWorld(t)
	w.depth["photos"] = queue.Depth{Visible: 2000, InFlight: 10}
	w.ages["photos"] = 2 * time.Minute
	w.minutes(1)
	w.wantAll("photos 30, newsletter 20, search 3")
	w.depth["photos"], w.ages["photos"] = queue.Depth{}, 0
	w.minutes(5)
	w.wantAll("photos 30, newsletter 20, search 3")
	w.minutes(40)
	w.wantAll("photos 10, newsletter 20, search 3")
	if sets := w.maps["photos"].sets; sets > 6 {
		t.Errorf("%d changes", sets)
	}
}

// Without Age the gauge that workers write tells how old the oldest job is.
func TestTheGaugeTellsTheAge(t *testing.T) {
	w := newWorld(t)
	w.age = nil
	w.depth["photos"] = queue.Depth{Visible: 1000, InFlight: 10}
	w.minutes(1)
	w.wantAll("photos 20, newsletter 20, search 3")
	note := store.Note{At: w.now.Add(50 * time.Second), Oldest: w.now.Add(-10 * time.Minute), Finished: 1, Busy: time.Second}
	if _, _, err := w.jobs().NoteWait(t.Context(), "photos", note); err != nil {
		t.Fatal(err)
	}
	w.minutes(1)
	w.wantAll("photos 30, newsletter 20, search 3") // in half of the time
}

func TestTheBudgetHolds(t *testing.T) {
	w := newWorld(t)
	w.budget = 50 // 10 + 20 + 12 are the least
	w.depth["photos"] = queue.Depth{Visible: 4000, InFlight: 10}
	w.minutes(3)
	w.wantAll("photos 18, newsletter 20, search 3")
	w.lend("newsletter", "photos", 1, time.Hour)
	w.minutes(1)
	w.wantAll("photos 38, newsletter paused, search 3")
}

func TestMistakes(t *testing.T) {
	w := newWorld(t)
	_, err := scaling.New(scaling.Config{Plans: w.plans, Mappings: map[string]string{"photos": "u"}, Budget: 3})
	if err == nil {
		t.Fatal("nothing was reported")
	}
	for _, want := range []string{"Depths is nil", `queue "photos": its mapping's UUID or its URL`, `queue "newsletter"`, "need 42 already"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no word of %s: %v", want, err)
		}
	}
}

// Whatever call fails, applied or not, and whatever happens next: what was lent comes
// back, and no queue stays paused.
func TestEveryFaultIsCaughtUp(t *testing.T) {
	story := func(w *world, slow int) {
		for _, m := range w.maps {
			m.slow = slow
		}
		w.busy("search")
		w.depth["photos"] = queue.Depth{Visible: 2000}
		for range 2 { // the first may be struck, and the second is refused else
			_, _ = w.desk.Lend(t.Context(), "newsletter", "search", 1, 5*time.Minute)
		}
		for range 8 {
			w.now = w.now.Add(time.Minute)
			_ = w.run() // its errors are the faults
		}
		w.depth["photos"], w.failAt = queue.Depth{}, 0
	}
	whole := newWorld(t)
	whole.minutes(1)
	before := whole.calls
	story(whole, 0)
	if whole.maps["newsletter"].sets != 2 || whole.maps["photos"].sets == 0 {
		t.Fatal("the story is not told")
	}
	for at := before + 1; at <= whole.calls; at++ {
		for _, applied := range []bool{false, true} {
			for _, slow := range []int{0, 2} {
				w := newWorld(t)
				w.minutes(1)
				w.failAt, w.applied = at, applied
				story(w, slow)
				w.minutes(30)
				if got := w.stands(strings.Split(all, ", ")...); got != "photos 10, newsletter 20, search 3" {
					t.Errorf("call %d, applied %t, slow %d: %s", at, applied, slow, got)
				}
			}
		}
	}
}

// Random loans, backlogs, faults and deleted rows: in the end all is as planned.
func TestAnythingComesBack(t *testing.T) {
	for seed := range uint64(20) {
		w, random := newWorld(t), rand.New(rand.NewPCG(seed, 1))
		w.budget = 60
		w.minutes(1)
		names := strings.Split(all, ", ")
		pick := func() string { return names[random.IntN(len(names))] }
		for range 60 {
			switch random.IntN(6) {
			case 0:
				// Most of these are refused.
				_, _ = w.desk.Lend(t.Context(), pick(), pick(), float64(random.IntN(3))/2, time.Duration(random.IntN(40))*time.Minute)
			case 1:
				_, _ = w.desk.Return(t.Context(), pick()) // as a rule there is none
			case 2:
				w.depth[pick()] = queue.Depth{Visible: random.IntN(3000), InFlight: random.IntN(30)}
			case 3:
				w.failAt, w.applied = w.calls+1+random.IntN(12), random.IntN(2) == 0
			case 4:
				w.maps[pick()].slow = random.IntN(3)
			case 5:
				w.forget(random)
			}
			w.now = w.now.Add(time.Minute)
			_ = w.run() // its errors are the faults
		}
		w.failAt = 0
		clear(w.depth)
		w.minutes(80)
		if got := w.stands(names...); got != "photos 10, newsletter 20, search 3" {
			t.Errorf("seed %d: %s", seed, got)
		}
	}
}

// forget deletes loans' rows, as somebody may.
func (w *world) forget(random *rand.Rand) {
	for name := range w.maps {
		if random.IntN(2) == 0 {
			continue
		}
		key := store.Item{store.PartitionKey: &types.AttributeValueMemberS{Value: "sweep"}, store.SortKey: &types.AttributeValueMemberS{Value: "scaling#loan#" + name}}
		if _, err := w.rows.Write(w.t.Context(), store.Write{Op: store.Delete, Key: key}); err != nil {
			w.t.Fatal(err)
		}
	}
}
