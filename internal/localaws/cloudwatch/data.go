package cloudwatch

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// Limits of GetMetricData; see
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html.
const (
	maxQueries    = 500
	maxDataPoints = 100_800
)

type dataInput struct {
	StartTime, EndTime *timestamp
	MetricDataQueries  []query
	ScanBy, NextToken  string
	MaxDatapoints      int
}

type query struct {
	ID         string `json:"Id"`
	Label      string
	Expression string
	ReturnData *bool
	MetricStat *struct {
		Metric struct {
			Namespace, MetricName string
			Dimensions            []dimension
		}
		Period int
		Stat   string
		Unit   string
	}
}

type result struct {
	ID         string `json:"Id"`
	Label      string
	Timestamps []timestamp
	Values     []float64
	StatusCode string
}

type dataOutput struct {
	MetricDataResults []result
	Messages          []struct{}
	NextToken         string `json:",omitempty"`
}

// getMetricData answers each query with a result. A page has MaxDatapoints points; a
// result that has more goes on in the next.
func (db *DB) getMetricData(_ context.Context, in *dataInput) (*dataOutput, error) {
	results, err := db.results(in)
	if err != nil {
		return nil, err
	}
	skip := 0
	if in.NextToken != "" {
		n, err := strconv.Atoi(in.NextToken)
		if err != nil || n < 0 {
			return nil, refuse("InvalidNextToken", "InvalidNextToken", "The next token is invalid.")
		}
		skip = n
	}
	out := &dataOutput{MetricDataResults: []result{}, Messages: []struct{}{}}
	room, seen := min(cmp.Or(in.MaxDatapoints, maxDataPoints), maxDataPoints), 0
	for _, r := range results {
		before, all := seen, len(r.Values)
		seen += all
		from := min(max(skip-before, 0), all)
		if from == all && skip > before { // an earlier page had it
			continue
		}
		to := min(all, from+room)
		room -= to - from
		r.Timestamps, r.Values, r.StatusCode = r.Timestamps[from:to], r.Values[from:to], "Complete"
		if to < all {
			r.StatusCode, out.NextToken = "PartialData", strconv.Itoa(before+to)
		}
		out.MetricDataResults = append(out.MetricDataResults, r)
		if out.NextToken != "" {
			break
		}
	}
	return out, nil
}

// results gives the whole results of all queries.
func (db *DB) results(in *dataInput) ([]result, error) {
	switch {
	case len(in.MetricDataQueries) == 0:
		return nil, missing("MetricDataQueries")
	case len(in.MetricDataQueries) > maxQueries:
		return nil, invalid("The collection MetricDataQueries must not have a size greater than %d.", maxQueries)
	case in.MaxDatapoints < 0:
		return nil, invalid("The parameter MaxDatapoints must be greater than or equal to 1.")
	case in.ScanBy != "" && in.ScanBy != "TimestampDescending" && in.ScanBy != "TimestampAscending":
		return nil, invalid("The value %s for parameter ScanBy is invalid.", in.ScanBy)
	}
	var results []result
	ids := map[string]bool{}
	for _, q := range in.MetricDataQueries {
		if ids[q.ID] {
			return nil, invalid("The value %q for parameter MetricDataQueries.Id is there twice.", q.ID)
		}
		ids[q.ID] = true
		r, err := db.result(in, &q)
		if err != nil {
			return nil, err
		}
		if q.ReturnData == nil || *q.ReturnData {
			results = append(results, r)
		}
	}
	return results, nil
}

func (db *DB) result(in *dataInput, q *query) (result, error) {
	first := func(c byte) bool { return 'a' <= c && c <= 'z' }
	switch {
	case q.ID == "" || !first(q.ID[0]):
		return result{}, invalid("The value %q for parameter MetricDataQueries.Id is invalid: it has to begin with a lower-case letter.", q.ID)
	case q.Expression != "":
		return result{}, invalid("The query %s has an expression: the local endpoint answers queries of metrics alone (MetricStat).", q.ID)
	case q.MetricStat == nil:
		return result{}, missing("MetricDataQueries.MetricStat")
	}
	s := q.MetricStat
	compute := statistic(s.Stat)
	if compute == nil {
		return result{}, invalid("The value %s for parameter MetricStat.Stat is not supported by the local endpoint: it knows SampleCount, Sum, Average, Minimum, Maximum and percentiles, such as p95.", s.Stat)
	}
	var w window
	var refused *awsjson.Error
	if w, refused = newWindow(in.StartTime, in.EndTime, s.Period); refused != nil {
		return result{}, refused
	}
	points, _ := db.points(key{s.Metric.Namespace, s.Metric.MetricName, canonical(s.Metric.Dimensions), s.Unit}, w)
	if in.ScanBy != "TimestampAscending" {
		slices.Reverse(points)
	}
	r := result{ID: q.ID, Label: cmp.Or(q.Label, s.Metric.MetricName), Timestamps: []timestamp{}, Values: []float64{}}
	for _, p := range points {
		if value, ok := compute(&p.data); ok {
			r.Timestamps, r.Values = append(r.Timestamps, timestamp{p.at}), append(r.Values, value)
		}
	}
	return r, nil
}
