package scenarios_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/internal/simulation/scenarios"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// play gives the results of a scenario's runs, by their names.
func play(t *testing.T, name string) map[string]*simulation.Result {
	t.Helper()
	s, known := scenarios.Find(name)
	if !known {
		t.Fatalf("there is no scenario %q", name)
	}
	results := map[string]*simulation.Result{}
	for _, c := range s.Runs {
		r, err := simulation.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		results[c.Name] = r
	}
	return results
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within*want {
		t.Errorf("%s: %.4g, and not %.4g to %.0f %%", what, got, want, 100*within)
	}
}

func TestScenariosAreWhole(t *testing.T) {
	names := map[string]bool{}
	for _, s := range scenarios.All() {
		if names[s.Name] || s.Name == "" || s.Title == "" || len(strings.Fields(s.Doc)) < 30 || len(s.Runs) < 2 {
			t.Errorf("%+v", s)
		}
		names[s.Name] = true
		runs := map[string]bool{}
		for _, c := range s.Runs {
			if err := c.Check(); err != nil || c.Name == "" || runs[c.Name] {
				t.Errorf("%s, run %q: %v", s.Name, c.Name, err)
			}
			runs[c.Name] = true
		}
	}
}

func TestChefSpike(t *testing.T) {
	r := play(t, "chef-spike")
	without, with := r["without a bound"].Totals, r["with the bound"].Totals
	near(t, "backlog", float64(without.PeakDepth), 42_000, 0.02)
	near(t, "wait in seconds", without.Wait.Most.Seconds(), 1400, 0.02)
	near(t, "time to clear in seconds", (without.Cleared - 20*time.Minute).Seconds(), 4200, 0.02)
	if with.Ready.Most > 10*time.Minute {
		t.Errorf("an accepted photo was ready after %v", with.Ready.Most)
	}
	if idle := with.IdleTime / with.WorkerTime; idle > 0.003 {
		t.Errorf("workers were idle beside work for %.2f %% of their time", 100*idle)
	}
}

func TestRetryStorm(t *testing.T) {
	r := play(t, "retry-storm")
	without, with := r["without jitter"].Totals, r["with full jitter"].Totals
	if with.Unfinished != 0 || with.Ready.Most > 10*time.Minute || without.Unfinished < without.Accepted/2 || with.Attempts > 2*without.Attempts/3 {
		t.Errorf("without jitter %+v\nwith it %+v", without, with)
	}
}

func TestVideoTimeout(t *testing.T) {
	r := play(t, "video-timeout")
	short, long, claims := r["30 s, plain worker"].Totals, r["10 min, plain worker"].Totals, r["heartbeats and claims"].Totals
	if short.DoneTwice() < 0.4 || short.Wait.Mean < 20*time.Second {
		t.Errorf("with 30 seconds %.0f %% of the work is in vain, and films wait %v", 100*short.DoneTwice(), short.Wait.Mean)
	}
	if long.Repeated != 0 || claims.Repeated != 0 || claims.Wait.Mean > time.Second {
		t.Errorf("10 min: %+v\nclaims: %+v", long, claims)
	}
	if claims.Ready.Most >= long.Ready.Most {
		t.Errorf("a dead worker costs %v with claims and %v without", claims.Ready.Most, long.Ready.Most)
	}
}

func TestSlackOutage(t *testing.T) {
	r := play(t, "slack-outage")
	stuck, free, spilled := r["memory, removing needs room"], r["memory, removing needs none"].Totals, r["bounded, spilled to the table"].Totals
	last := stuck.Points[len(stuck.Points)-2]
	if last.Done != 0 || last.Depth < 19_000_000 || stuck.Totals.Cleared != 0 {
		t.Errorf("the stuck queue in the end: %+v", last)
	}
	if free.Cleared == 0 || free.GaveUp == 0 {
		t.Errorf("the other in memory: %+v", free)
	}
	if spilled.Done != spilled.Arrived || spilled.Refused != 0 || spilled.IdleTime > 0.01*spilled.WorkerTime {
		t.Errorf("the one that spills: %+v", spilled)
	}
}

func TestSlackPeak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	r := play(t, "slack-peak")
	fresh, warm := r["new table"], r["warm table"]
	if warm.Totals.Refused != 0 || warm.Totals.Wait.Most > time.Minute {
		t.Errorf("with a warm table: %+v", warm.Totals)
	}
	for _, p := range fresh.Points {
		if at := p.At; at > 10*time.Minute && at < 2*time.Hour+20*time.Minute && p.Refused == 0 {
			t.Errorf("with a new table nobody is refused at %v", at)
		} else if at > 2*time.Hour+35*time.Minute && p.Refused > 0 {
			t.Errorf("with a new table %d are refused at %v", p.Refused, at)
		}
	}
	s, _ := scenarios.Find("slack-peak")
	writes, _ := sizing.FullBatches().TableAt(fresh.Plan)
	if prepared := s.Runs[1].Table.Writes; prepared < writes || prepared > writes*1.1 {
		t.Errorf("the warm table bears %v writes, and the plan needs %v", prepared, writes)
	}
}

func TestAutoscaling(t *testing.T) {
	r := play(t, "autoscaling")
	fixed, scaled := r["90 workers"].Totals, r["90 to 300 workers"].Totals
	// Up and down for each of two spikes are three turns.
	if scaled.Turns > 3 || scaled.Changes == 0 {
		t.Errorf("%d changes, %d of them the other way", scaled.Changes, scaled.Turns)
	}
	if scaled.GaveUp != 0 || scaled.PeakAge > fixed.PeakAge/2 {
		t.Errorf("%+v", scaled)
	}
}
