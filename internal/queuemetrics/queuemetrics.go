// Package queuemetrics reads from CloudWatch how busy queues were: what package sizing
// holds against their declarations.
//
// It reads the metrics of package telemetry by the minute. CloudWatch keeps those for 15
// days; the local endpoint for as long as it runs.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html
package queuemetrics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

const (
	// LongestPeriod is how long CloudWatch keeps figures of single minutes.
	LongestPeriod = 15 * 24 * time.Hour
	// DefaultShare is which minute counts as the peak: of the busy ones, that which 99
	// in 100 do not exceed.
	DefaultShare = 0.99
)

// A Reader reads the figures of queues. It may be used by many goroutines.
type Reader struct {
	// API is CloudWatch; *cloudwatch.Client is one. Required.
	API cloudwatch.GetMetricDataAPIClient
	// Namespace is where the stack's metrics are; empty means telemetry.Namespace.
	Namespace string
	// Share is the percentile (0 to 1) of the busy minutes that is the peak; zero
	// means DefaultShare.
	Share float64
}

// Queue reads what a queue had from a time until another, in whole minutes.
//
// Arrivals of a minute are the requests that were accepted or the runs that began to
// be counted in it, whichever are more, and those that were refused: runs are more
// where jobs come from topics, schedules and other jobs, or are tried again, each of
// which takes a worker. Queues that nothing is known of give zeros.
func (r Reader) Queue(ctx context.Context, name string, from, to time.Time) (sizing.Measured, error) {
	from, to = from.Truncate(time.Minute), to.Truncate(time.Minute)
	if to.Sub(from) < time.Minute || to.Sub(from) > LongestPeriod {
		return sizing.Measured{}, fmt.Errorf("queuemetrics: queue %q: the period is %v: between a minute and %v", name, to.Sub(from), LongestPeriod)
	}
	found, err := r.read(ctx, name, from, to)
	if err != nil {
		return sizing.Measured{}, fmt.Errorf("queuemetrics: reading the metrics of queue %q: %w", name, err)
	}
	m := sizing.Measured{Period: to.Sub(from)}
	minutes := found.arrivals()
	m.Minutes = len(minutes)
	m.PeakArrivals = job.Rate(percentile(minutes, r.share()) / 60)
	m.Jobs = sum(found[runs])
	if m.Jobs > 0 {
		m.Service = time.Duration(sum(found[busy]) / m.Jobs * float64(time.Millisecond))
	}
	m.WorstWait = max(time.Duration(most(found[waits])*float64(time.Millisecond)), time.Duration(most(found[ages])*float64(time.Second)))
	m.Refused = sum(found[refused])
	return m, nil
}

func (r Reader) share() float64 {
	if r.Share == 0 {
		return DefaultShare
	}
	return r.Share
}

// The series that are read, by the name under which they are asked for.
const (
	runs     = "runs"
	busy     = "busy"
	waits    = "waits"
	ages     = "ages"
	accepted = "accepted"
	refused  = "refused"
)

var asked = []struct {
	id     string
	metric telemetry.Metric
	stat   string
}{
	{runs, telemetry.ServiceTime, "SampleCount"},
	{busy, telemetry.ServiceTime, "Sum"},
	{waits, telemetry.QueueWait, "Maximum"},
	{ages, telemetry.Age, "Maximum"},
	{accepted, telemetry.Accepted, "Sum"},
	{refused, telemetry.Refused, "Sum"},
}

// series are values by minute, by the name of what was asked for.
type series map[string]map[time.Time]float64

func (r Reader) read(ctx context.Context, name string, from, to time.Time) (series, error) {
	namespace := r.Namespace
	if namespace == "" {
		namespace = telemetry.Namespace
	}
	in := &cloudwatch.GetMetricDataInput{StartTime: &from, EndTime: &to}
	for _, a := range asked {
		in.MetricDataQueries = append(in.MetricDataQueries, types.MetricDataQuery{
			Id: aws.String(a.id),
			MetricStat: &types.MetricStat{
				Metric: &types.Metric{
					Namespace: aws.String(namespace), MetricName: aws.String(a.metric.Name),
					Dimensions: []types.Dimension{{Name: aws.String(a.metric.By), Value: aws.String(name)}},
				},
				Period: aws.Int32(60), Stat: aws.String(a.stat),
			},
		})
	}
	found := series{}
	pages := cloudwatch.NewGetMetricDataPaginator(r.API, in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		if err := found.add(page.MetricDataResults); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// add takes a page of results. One series may be spread over several.
func (s series) add(results []types.MetricDataResult) error {
	for _, result := range results {
		if result.StatusCode == types.StatusCodeInternalError || result.StatusCode == types.StatusCodeForbidden {
			var why []error
			for _, message := range result.Messages {
				why = append(why, errors.New(aws.ToString(message.Value)))
			}
			return fmt.Errorf("%s is not told (%s): %w", aws.ToString(result.Id), result.StatusCode, errors.Join(append(why, errPartial)...))
		}
		id := aws.ToString(result.Id)
		if s[id] == nil {
			s[id] = map[time.Time]float64{}
		}
		for i := range min(len(result.Timestamps), len(result.Values)) {
			s[id][result.Timestamps[i].UTC()] = result.Values[i]
		}
	}
	return nil
}

var errPartial = errors.New("a part of the figures is missing, and the rest would mislead")

// arrivals are the jobs of each minute in which there were any.
func (s series) arrivals() []float64 {
	each := map[time.Time]float64{}
	for _, id := range []string{runs, accepted} {
		for at, n := range s[id] {
			each[at] = max(each[at], n)
		}
	}
	for at, n := range s[refused] {
		each[at] += n
	}
	var minutes []float64
	for _, n := range each {
		if n > 0 {
			minutes = append(minutes, n)
		}
	}
	return minutes
}

func sum(values map[time.Time]float64) (all float64) {
	for _, v := range values {
		all += v
	}
	return all
}

func most(values map[time.Time]float64) (largest float64) {
	for _, v := range values {
		largest = max(largest, v)
	}
	return largest
}

// percentile is the value that a share of the values does not exceed: one of them.
func percentile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	at := int(math.Ceil(share*float64(len(values)))) - 1
	return values[min(max(at, 0), len(values)-1)]
}
