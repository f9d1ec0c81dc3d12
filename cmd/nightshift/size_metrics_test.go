package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// load is what a queue had each minute.
type load struct{ runs, milliseconds, wait, refused float64 }

// cloud answers for each queue with an hour of the same minutes.
type cloud map[string]load

func (c cloud) GetMetricData(_ context.Context, in *cloudwatch.GetMetricDataInput, _ ...func(*cloudwatch.Options)) (*cloudwatch.GetMetricDataOutput, error) {
	out := &cloudwatch.GetMetricDataOutput{}
	for _, query := range in.MetricDataQueries {
		has, known := c[aws.ToString(query.MetricStat.Metric.Dimensions[0].Value)]
		if !known {
			continue
		}
		value := map[string]float64{
			"ServiceTime SampleCount": has.runs, "ServiceTime Sum": has.runs * has.milliseconds,
			"QueueWait Maximum": has.wait, "Refused Sum": has.refused,
		}[aws.ToString(query.MetricStat.Metric.MetricName)+" "+aws.ToString(query.MetricStat.Stat)]
		result := types.MetricDataResult{Id: query.Id, StatusCode: types.StatusCodeComplete}
		for minute := range 60 {
			result.Timestamps = append(result.Timestamps, in.StartTime.Add(time.Duration(minute)*time.Minute))
			result.Values = append(result.Values, value)
		}
		out.MetricDataResults = append(out.MetricDataResults, result)
	}
	return out, nil
}

func compared(t *testing.T, measured cloud, asJSON bool) (out, stderr string) {
	t.Helper()
	all, err := sizing.ForTasks(declared()...)
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	f := sizeFlags{asJSON: asJSON, period: time.Hour}
	f.reader.API = measured
	if err := f.compareUntil(t.Context(), streams{nil, &o, &e}, inOrder(all), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	return o.String(), e.String()
}

var anHour = cloud{
	"photos":  {runs: 1200, milliseconds: 4400, wait: 90_000}, // 20 a second, slower than declared
	"imports": {runs: 60, milliseconds: 380, wait: 200},       // 1 a second instead of 50
	"search":  {runs: 1100, milliseconds: 500, wait: 900},     // near enough
}

func TestMeasuredBesideDeclared(t *testing.T) {
	out, stderr := compared(t, anHour, false)
	flat := strings.Join(strings.Fields(out), " ")
	for _, says := range []string{
		"photos undersized 20/s 20/s 3 s 4.4 s 66.7 % 97.8 % 10 min 90 s 0 90 130",
		"imports oversized 50/s 1/s 400 ms 380 ms 66.7 % 1.27 % 5 min 200 ms 0 30 2",
		"search fits 20/s 18.3/s 200 ms 500 ms 20 % 45.8 % 2 min 900 ms 0 20 -",
		"pdfs too few data 2/s - 1 s - 66.7 % - 60 s - - 3 -",
		"photos: undersized - the workers were 98 % busy at the peak, and 70 % are aimed at declare: PeakArrivals: job.PerSecond(20), ServiceTime: 4400 * time.Millisecond gives: 130 workers instead of 90",
	} {
		if !strings.Contains(flat, says) {
			t.Errorf("it does not say %q:\n%s", says, out)
		}
	}
	if strings.Contains(out, "search: fits") || strings.Contains(out, "pdfs: ") {
		t.Errorf("what fits needs no advice, nor what is not known:\n%s", out)
	}
	if !strings.Contains(stderr, "pdfs (0 runs in 0 minutes)") || strings.Contains(stderr, "photos (") {
		t.Errorf("of what there are too few data: %s", stderr)
	}
}

func TestNothingMeasuredIsSaid(t *testing.T) {
	out, stderr := compared(t, cloud{}, false)
	if !strings.Contains(stderr, "let it work longer, or look at a longer --period") || strings.Contains(out, "declare:") {
		t.Errorf("%s%s", out, stderr)
	}
}

func TestMeasuredInJSON(t *testing.T) {
	out, _ := compared(t, anHour, true)
	seen := map[string]comparisonDetails{}
	for line := range strings.Lines(out) {
		var d comparisonDetails
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		seen[d.Queue] = d
	}
	photos := seen["photos"]
	if photos.Fit != sizing.Undersized || photos.Suggested == nil || photos.Suggested.Workers != 130 || photos.Measured.ServiceTime != 4.4 || photos.Measured.Minutes != 60 {
		t.Errorf("%+v, %+v", photos, photos.Suggested)
	}
	if search := seen["search"]; search.Fit != sizing.Fits || search.Suggested != nil {
		t.Errorf("%+v", search)
	}
	if seen["pdfs"].Fit != sizing.TooFew {
		t.Errorf("%+v", seen["pdfs"])
	}
}

func TestTimesAsTheyAreDeclared(t *testing.T) {
	for d, want := range map[time.Duration]string{
		3 * time.Second: "3 * time.Second", 4400 * time.Millisecond: "4400 * time.Millisecond", 2 * time.Minute: "2 * time.Minute",
		90 * time.Second: "90 * time.Second", 15 * time.Microsecond: "15 * time.Microsecond", 7: "7 * time.Nanosecond",
	} {
		if got := inGo(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
