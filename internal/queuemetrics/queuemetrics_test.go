package queuemetrics_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	local "github.com/nightshift-go/nightshift/internal/localaws/cloudwatch"
	"github.com/nightshift-go/nightshift/internal/queuemetrics"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// endpoint is the local CloudWatch, which has what the toolkit's own recorder writes.
type endpoint struct {
	t      *testing.T
	db     *local.DB
	client *cloudwatch.Client
}

func newEndpoint(t *testing.T) *endpoint {
	db := local.New(local.Config{Now: func() time.Time { return noon.Add(3 * time.Hour) }})
	server := httptest.NewServer(db)
	t.Cleanup(server.Close)
	return &endpoint{t, db, cloudwatch.New(cloudwatch.Options{
		Region: "us-east-1", BaseEndpoint: &server.URL, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})}
}

// record puts values of a metric of photos into a minute after noon.
func (e *endpoint) record(namespace string, metric telemetry.Metric, minute int, values ...float64) {
	e.t.Helper()
	_, err := e.client.PutMetricData(e.t.Context(), &cloudwatch.PutMetricDataInput{Namespace: &namespace, MetricData: []types.MetricDatum{{
		MetricName: &metric.Name, Unit: types.StandardUnit(metric.Unit), Values: values,
		Dimensions: []types.Dimension{{Name: &metric.By, Value: aws.String("photos")}},
		Timestamp:  aws.Time(noon.Add(time.Duration(minute)*time.Minute + 13*time.Second)),
	}}})
	if err != nil {
		e.t.Fatal(err)
	}
}

func TestFiguresOfAQueue(t *testing.T) {
	e := newEndpoint(t)
	for minute := range 100 {
		e.record("Nightshift", telemetry.Accepted, minute, 60)
		e.record("Nightshift", telemetry.ServiceTime, minute, 1000, 2000, 6000)
		e.record("Nightshift", telemetry.QueueWait, minute, 10, 20+float64(minute))
	}
	e.record("Nightshift", telemetry.Accepted, 50, 1140) // 1,200: one odd minute
	e.record("Nightshift", telemetry.Refused, 50, 300)
	e.record("Nightshift", telemetry.Age, 70, 45)
	e.record("Nightshift", telemetry.Accepted, -1, 9e9) // before the period
	e.record("Other", telemetry.Accepted, 1, 9e9)       // another stack

	reader := queuemetrics.Reader{API: e.client}
	got, err := reader.Queue(t.Context(), "photos", noon, noon.Add(2*time.Hour))
	want := sizing.Measured{Period: 2 * time.Hour, Minutes: 100, Jobs: 300, PeakArrivals: 1, Service: 3 * time.Second, WorstWait: 45 * time.Second, Refused: 300}
	if err != nil || got != want {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	reader.Share = 1
	if got, err := reader.Queue(t.Context(), "photos", noon, noon.Add(2*time.Hour)); err != nil || got.PeakArrivals != 25 {
		t.Errorf("the busiest minute had 1,500 jobs: %+v, %v", got, err)
	}
	if got, err := reader.Queue(t.Context(), "nobody", noon, noon.Add(2*time.Hour)); err != nil || got != (sizing.Measured{Period: 2 * time.Hour}) {
		t.Errorf("a queue that nothing is known of: %+v, %v", got, err)
	}
	reader.Namespace = "Other"
	if got, err := reader.Queue(t.Context(), "photos", noon, noon.Add(2*time.Hour)); err != nil || got.Minutes != 1 || got.Jobs != 0 {
		t.Errorf("another namespace: %+v, %v", got, err)
	}
}

// Jobs that no request asked for are counted by their runs, in the minutes of which
// there were more of them.
func TestRunsCountWhereTheyAreMore(t *testing.T) {
	e := newEndpoint(t)
	e.record("Nightshift", telemetry.Accepted, 1, 2)
	e.record("Nightshift", telemetry.ServiceTime, 1, make([]float64, 120)...)
	got, err := queuemetrics.Reader{API: e.client}.Queue(t.Context(), "photos", noon, noon.Add(time.Hour))
	if err != nil || got.PeakArrivals != 2 || got.Jobs != 120 {
		t.Errorf("%+v, %v", got, err)
	}
}

// What workers and gates write into their logs is what is read.
func TestLinesOfTheRecorderAreRead(t *testing.T) {
	e := newEndpoint(t)
	line := `{"_aws":{"Timestamp":` + "1772452860000" + `,"CloudWatchMetrics":[{"Namespace":"Nightshift","Dimensions":[["Queue"]],"Metrics":[{"Name":"ServiceTime","Unit":"Milliseconds"}]}]},"Queue":"photos","ServiceTime":[400,600]}`
	if !e.db.Ingest("photos", line) {
		t.Fatal("the line was not taken")
	}
	got, err := queuemetrics.Reader{API: e.client}.Queue(t.Context(), "photos", noon, noon.Add(time.Hour))
	if err != nil || got.Jobs != 2 || got.Service != 500*time.Millisecond {
		t.Errorf("%+v, %v", got, err)
	}
}

// pages answers with one page after the other.
type pages struct {
	out []*cloudwatch.GetMetricDataOutput
	in  []*cloudwatch.GetMetricDataInput
	err error
}

func (p *pages) GetMetricData(_ context.Context, in *cloudwatch.GetMetricDataInput, _ ...func(*cloudwatch.Options)) (*cloudwatch.GetMetricDataOutput, error) {
	p.in = append(p.in, in)
	if p.err != nil {
		return nil, p.err
	}
	next := p.out[0]
	p.out = p.out[1:]
	return next, nil
}

func result(id string, status types.StatusCode, minute int, value float64) types.MetricDataResult {
	return types.MetricDataResult{Id: &id, StatusCode: status, Timestamps: []time.Time{noon.Add(time.Duration(minute) * time.Minute)}, Values: []float64{value}}
}

func TestPagesAreReadToTheEnd(t *testing.T) {
	api := &pages{out: []*cloudwatch.GetMetricDataOutput{
		{NextToken: aws.String("more"), MetricDataResults: []types.MetricDataResult{result("runs", types.StatusCodePartialData, 1, 60)}},
		{MetricDataResults: []types.MetricDataResult{result("runs", types.StatusCodeComplete, 2, 120), result("busy", types.StatusCodeComplete, 2, 18_000)}},
	}}
	got, err := queuemetrics.Reader{API: api, Share: 1}.Queue(t.Context(), "photos", noon, noon.Add(time.Hour))
	if err != nil || got.Jobs != 180 || got.PeakArrivals != 2 || got.Service != 100*time.Millisecond || len(api.in) != 2 || aws.ToString(api.in[1].NextToken) != "more" {
		t.Errorf("%+v, %v, %d calls", got, err, len(api.in))
	}
}

func TestWhatCanNotBeToldIsAnError(t *testing.T) {
	forbidden := result("waits", types.StatusCodeForbidden, 1, 0)
	forbidden.Messages = []types.MessageData{{Value: aws.String("not yours")}}
	api := &pages{out: []*cloudwatch.GetMetricDataOutput{{MetricDataResults: []types.MetricDataResult{forbidden}}}}
	if _, err := (queuemetrics.Reader{API: api}).Queue(t.Context(), "photos", noon, noon.Add(time.Hour)); err == nil || !strings.Contains(err.Error(), "waits is not told (Forbidden): not yours") {
		t.Error(err)
	}
	if _, err := (queuemetrics.Reader{API: &pages{err: context.DeadlineExceeded}}).Queue(t.Context(), "photos", noon, noon.Add(time.Hour)); err == nil || !strings.Contains(err.Error(), `metrics of queue "photos"`) {
		t.Error(err)
	}
	for _, period := range []time.Duration{-time.Hour, 0, 59 * time.Second, 16 * 24 * time.Hour} {
		if _, err := (queuemetrics.Reader{API: &pages{}}).Queue(t.Context(), "photos", noon, noon.Add(period)); err == nil || !strings.Contains(err.Error(), "between a minute and") {
			t.Errorf("%v: %v", period, err)
		}
	}
}
