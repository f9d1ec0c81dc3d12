package cloudwatch

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"
)

// listed is how many metrics a page has; recently is what RecentlyActive means.
const (
	listed   = 500
	recently = 3 * time.Hour
)

type listInput struct {
	Namespace, MetricName, NextToken, RecentlyActive string
	Dimensions                                       []struct{ Name, Value string }
}

type metricName struct {
	Namespace, MetricName string
	Dimensions            []dimension
}

type listOutput struct {
	Metrics   []metricName
	NextToken string `json:",omitempty"`
}

// listMetrics names what was measured in the last two weeks.
func (db *DB) listMetrics(_ context.Context, in *listInput) (*listOutput, error) {
	since := longestAgo
	switch in.RecentlyActive {
	case "":
	case "PT3H":
		since = recently
	default:
		return nil, invalid("The value %s for parameter RecentlyActive is invalid.", in.RecentlyActive)
	}
	from := 0
	if in.NextToken != "" {
		var err error
		if from, err = strconv.Atoi(in.NextToken); err != nil || from < 0 {
			return nil, refuse("InvalidNextToken", "InvalidNextToken", "The next token is invalid.")
		}
	}
	found := db.named(in, db.config.Now().Add(-since))
	out := &listOutput{Metrics: []metricName{}}
	if from >= len(found) {
		return out, nil
	}
	out.Metrics = found[from:min(from+listed, len(found))]
	if from+listed < len(found) {
		out.NextToken = strconv.Itoa(from + listed)
	}
	return out, nil
}

// named gives the metrics that a call asks for, in order; units are not told apart.
func (db *DB) named(in *listInput, since time.Time) []metricName {
	db.mu.Lock()
	defer db.mu.Unlock()
	seen := map[key]bool{}
	for k, m := range db.metrics {
		if (in.Namespace == "" || k.namespace == in.Namespace) && (in.MetricName == "" || k.name == in.MetricName) && m.last.After(since) && in.has(parse(k.dimensions)) {
			k.unit = ""
			seen[k] = true
		}
	}
	found := make([]metricName, 0, len(seen))
	for k := range seen {
		found = append(found, metricName{k.namespace, k.name, parse(k.dimensions)})
	}
	slices.SortFunc(found, func(a, b metricName) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.MetricName, b.MetricName), cmp.Compare(canonical(a.Dimensions), canonical(b.Dimensions)))
	})
	return found
}

// has reports whether a metric has the dimensions that are asked for, among others.
func (in *listInput) has(dimensions []dimension) bool {
	for _, asked := range in.Dimensions {
		if !slices.ContainsFunc(dimensions, func(d dimension) bool {
			return d.Name == asked.Name && (asked.Value == "" || d.Value == asked.Value)
		}) {
			return false
		}
	}
	return true
}
