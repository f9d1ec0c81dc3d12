package sizingplot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/sizingplot"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func plan(t *testing.T, arrivals job.Rate) sizing.Plan {
	t.Helper()
	p, err := sizing.For(job.Queue{Name: "photos", PeakArrivals: arrivals, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// texts are what is written on a drawing.
func texts(t *testing.T, svg []byte) string {
	t.Helper()
	var all []string
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(all, "\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			all = append(all, strings.TrimSpace(string(text)))
		}
	}
}

func TestPlotsSayWhatTheyShow(t *testing.T) {
	p := plan(t, 20)
	for name, c := range map[string]struct {
		draw func(sizingplot.Format) ([]byte, error)
		says []string
	}{
		"waits": {func(f sizingplot.Format) ([]byte, error) { return sizingplot.Waits(p, f) },
			[]string{"1 worker", "10 workers", "90 workers; the dot: photos at the peak, 67 % busy", "utilisation (%)"}},
		"spike": {func(f sizingplot.Format) ([]byte, error) {
			return sizingplot.Spike(p.Under(sizing.Spike{Arrivals: 100, For: 10 * time.Minute}), f)
		}, []string{"42,000 jobs: a new one waits 23 min 20 s", "18,000 jobs: a new one waits 10 min", "limit: 18,000 jobs"}},
		"a small spike": {func(f sizingplot.Format) ([]byte, error) {
			return sizingplot.Spike(p.Under(sizing.Spike{Arrivals: 40, For: 10 * time.Minute}), f)
		}, []string{"6,000 jobs: a new one waits 3 min 20 s"}},
		"a backlog that stays": {func(f sizingplot.Format) ([]byte, error) {
			return sizingplot.Spike(p.Under(sizing.Spike{Arrivals: 40, For: 10 * time.Minute, Before: 30}), f)
		}, []string{"30 afterwards"}},
		"no spike at all": {func(f sizingplot.Format) ([]byte, error) {
			return sizingplot.Spike(p.Under(sizing.Spike{Arrivals: 1, For: time.Minute}), f)
		}, []string{"0 jobs: a new one waits 0 s"}},
	} {
		t.Run(name, func(t *testing.T) {
			svg, err := c.draw(sizingplot.SVG)
			if err != nil {
				t.Fatal(err)
			}
			written := texts(t, svg)
			for _, says := range c.says {
				if !strings.Contains(written, says) {
					t.Errorf("%q is not written on it:\n%s", says, written)
				}
			}
			if again, err := c.draw(sizingplot.SVG); err != nil || !bytes.Equal(svg, again) {
				t.Errorf("drawn twice it differs: %v", err)
			}
			drawn, err := c.draw(sizingplot.PNG)
			if err != nil {
				t.Fatal(err)
			}
			if image, err := png.Decode(bytes.NewReader(drawn)); err != nil || image.Bounds().Dx() < 1000 {
				t.Errorf("the picture: %v", err)
			}
		})
	}
	if _, err := sizingplot.Waits(p, "gif"); err == nil {
		t.Error("a GIF was drawn")
	}
	if _, err := sizingplot.Waits(plan(t, 1e-6), sizingplot.SVG); err != nil {
		t.Error(err)
	}
}
