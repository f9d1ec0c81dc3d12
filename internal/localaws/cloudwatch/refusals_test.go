package cloudwatch_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/smithy-go"
)

func TestRefusals(t *testing.T) {
	w := newWorld(t)
	for name, test := range map[string]struct {
		call func() error
		code string
	}{
		"an expression": {func() error {
			_, err := w.data(func(in *sdk.GetMetricDataInput) {
				in.MetricDataQueries[1].MetricStat, in.MetricDataQueries[1].Expression = nil, aws.String("waits * 2")
			})
			return err
		}, "InvalidParameterValue"},
		"an unknown statistic": {func() error {
			_, err := w.data(func(in *sdk.GetMetricDataInput) { in.MetricDataQueries[0].MetricStat.Stat = aws.String("tm90") })
			return err
		}, "InvalidParameterValue"},
		"an id twice": {func() error {
			_, err := w.data(func(in *sdk.GetMetricDataInput) { in.MetricDataQueries[1].Id = aws.String("waits") })
			return err
		}, "InvalidParameterValue"},
		"an id in capitals": {func() error {
			_, err := w.data(func(in *sdk.GetMetricDataInput) { in.MetricDataQueries[1].Id = aws.String("Waits") })
			return err
		}, "InvalidParameterValue"},
		"a token of another": {func() error {
			_, err := w.data(func(in *sdk.GetMetricDataInput) { in.NextToken = aws.String("x") })
			return err
		}, "InvalidNextToken"},
		"fewer points than none": {func() error {
			_, err := w.data(func(in *sdk.GetMetricDataInput) { in.MaxDatapoints = aws.Int32(-1) })
			return err
		}, "InvalidParameterValue"},
		"a period of seconds": {func() error {
			_, err := w.statistics(func(in *sdk.GetMetricStatisticsInput) { in.Period = aws.Int32(10) })
			return err
		}, "InvalidParameterValue"},
		"too many points": {func() error {
			_, err := w.statistics(func(in *sdk.GetMetricStatisticsInput) { in.StartTime = aws.Time(noon.Add(-24 * time.Hour)) })
			return err
		}, "InvalidParameterCombination"},
		"the end before the start": {func() error {
			_, err := w.statistics(func(in *sdk.GetMetricStatisticsInput) { in.EndTime = in.StartTime })
			return err
		}, "InvalidParameterValue"},
		"no statistic": {func() error {
			_, err := w.statistics(func(in *sdk.GetMetricStatisticsInput) { in.Statistics = nil })
			return err
		}, "InvalidParameterCombination"},
		"not a number":       {func() error { return w.put(datum(1, math.NaN())) }, "SerializationException"},
		"too great":          {func() error { return w.put(datum(1, math.Ldexp(1, 361))) }, "InvalidParameterValue"},
		"three weeks ago":    {func() error { return w.put(datum(-3*7*24*60, 1)) }, "InvalidParameterValue"},
		"tomorrow":           {func() error { return w.put(datum(24*60, 1)) }, "InvalidParameterValue"},
		"too many values":    {func() error { return w.put(datum(1, make([]float64, 151)...)) }, "InvalidParameterValue"},
		"a value and values": {func() error { d := datum(1, 1); d.Value = aws.Float64(1); return w.put(d) }, "InvalidParameterCombination"},
		"no value":           {func() error { return w.put(datum(1)) }, "InvalidParameterCombination"},
		"counts of others":   {func() error { d := datum(1, 1, 2); d.Counts = []float64{1}; return w.put(d) }, "InvalidParameterValue"},
		"AWS's namespace": {func() error {
			_, err := w.client.PutMetricData(ctx, &sdk.PutMetricDataInput{Namespace: aws.String("AWS/SQS"), MetricData: []types.MetricDatum{datum(1, 1)}})
			return err
		}, "InvalidParameterValue"},
		"an alarm": {func() error { _, err := w.client.DescribeAlarms(ctx, &sdk.DescribeAlarmsInput{}); return err }, "UnknownOperationException"},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.call()
			var refused smithy.APIError
			if !errors.As(err, &refused) || refused.ErrorCode() != test.code {
				t.Errorf("%v, want %s", err, test.code)
			}
		})
	}
	if out, err := w.client.ListMetrics(ctx, &sdk.ListMetricsInput{}); err != nil || len(out.Metrics) != 0 {
		t.Errorf("something of what was refused was kept: %v, %v", out, err)
	}
}
