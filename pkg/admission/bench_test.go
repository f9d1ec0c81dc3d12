package admission

import (
	"context"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

func benchGate(t testing.TB) *Gate {
	return made(t, Config{
		Queue: "photos", Limit: 1 << 40, DrainRate: 30, LongestWait: 10 * time.Minute, Full: job.Degrade, Refresh: time.Hour, ProbeEvery: time.Hour,
		Depth: func(context.Context) (int, error) { return 17, nil },
		Probe: func(context.Context) error { return nil },
	})
}

func TestADecisionTakesNoMemory(t *testing.T) {
	g := benchGate(t)
	policy := job.Policy{ShedAt: 0.5}
	g.AdmitFor(t.Context(), policy)
	if n := testing.AllocsPerRun(1000, func() {
		if d := g.AdmitFor(t.Context(), policy); !d.Admitted || d.Options() != nil {
			t.Errorf("%+v", d)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAdmit(b *testing.B) {
	g := benchGate(b)
	b.ReportAllocs()
	for b.Loop() {
		g.Admit(b.Context())
	}
}

func BenchmarkAdmitByMany(b *testing.B) {
	g := benchGate(b)
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		ctx := context.Background()
		for p.Next() {
			g.Admit(ctx)
		}
	})
}

// A simulation's clock makes a reading due at every few decisions.
func BenchmarkAdmitInline(b *testing.B) {
	now := time.Unix(1_800_000_000, 0)
	g := made(b, Config{
		Queue: "photos", Limit: 18_000, DrainRate: 30, LongestWait: 10 * time.Minute, Inline: true,
		Look: func(context.Context) (Reading, error) { return Reading{Depth: 17_000, Oldest: now}, nil },
		Now:  func() time.Time { return now }, Random: func() float64 { return 0.5 },
	})
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(10 * time.Millisecond)
		g.Admit(context.Background())
	}
}
