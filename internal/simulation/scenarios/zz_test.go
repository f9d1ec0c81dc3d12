package scenarios

import (
	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/internal/simulation/report"
	"os"
	"testing"
	"time"
)

func TestZ(t *testing.T) {
	for _, s := range All() {
		if o := os.Getenv("ONLY"); o != "" && o != s.Name {
			continue
		}
		var rs []*simulation.Result
		for _, c := range s.Runs {
			b := time.Now()
			r, err := simulation.Run(t.Context(), c)
			if err != nil {
				t.Error(s.Name, c.Name, err)
				continue
			}
			t.Log(s.Name, c.Name, time.Since(b))
			rs = append(rs, r)
		}
		report.Totals(os.Stdout, rs)
		png, err := report.Plot(s.Title, rs, report.PNG)
		if err != nil {
			t.Error(err)
		}
		os.WriteFile("/tmp/ns/sim-"+s.Name+".png", png, 0o644)
	}
}
