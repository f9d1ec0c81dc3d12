package scenariofile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A duration is written as 90s, 1.5h or 2d.
type duration time.Duration

// UnmarshalYAML reads one. A mistake leaves a value that is good for checking the rest.
func (d *duration) UnmarshalYAML(node *yaml.Node) error {
	text := node.Value
	read, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		read = time.Duration(n * float64(24*time.Hour))
		if !(math.Abs(n) < 1e4) {
			err = strconv.ErrRange
		}
	}
	if node.Kind != yaml.ScalarNode || err != nil {
		*d = duration(time.Second)
		return mistake(node, "want a time, as 90s, 10m, 1h30m or 2d")
	}
	*d = duration(read)
	return nil
}

// A rate is written as 20/s, 30/min or 1000/h; a number alone is one a second.
type rate job.Rate

// UnmarshalYAML reads one. A mistake leaves a value that is good for checking the rest.
func (r *rate) UnmarshalYAML(node *yaml.Node) error {
	number, unit, _ := strings.Cut(node.Value, "/")
	seconds, known := map[string]float64{"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}[strings.TrimSpace(unit)]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if node.Kind != yaml.ScalarNode || err != nil || !known || !(n >= 0) || math.IsInf(n, 0) {
		*r = 1
		return mistake(node, "want a rate, as 20/s, 30/min or 1000/h")
	}
	*r = rate(n / seconds)
	return nil
}

// mistake tells of a value of the file, and lets the decoder go on to the next.
func mistake(node *yaml.Node, want string) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %q: %s", node.Line, node.Value, want)}}
}
