package cloudwatch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/nightshift-go/nightshift/internal/localaws/cloudwatch"
)

var (
	ctx  = context.Background()
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
)

type world struct {
	*testing.T
	db     *cloudwatch.DB
	client *sdk.Client
	now    time.Time
	logs   []string
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, now: noon.Add(30 * time.Minute)}
	w.db = cloudwatch.New(cloudwatch.Config{Now: func() time.Time { return w.now }, Log: func(m string) { w.logs = append(w.logs, m) }})
	server := httptest.NewServer(w.db)
	t.Cleanup(server.Close)
	w.client = sdk.New(sdk.Options{
		Region: "us-east-1", BaseEndpoint: &server.URL, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	return w
}

func (w *world) put(data ...types.MetricDatum) error {
	_, err := w.client.PutMetricData(ctx, &sdk.PutMetricDataInput{Namespace: aws.String("Nightshift"), MetricData: data})
	return err
}

func of(queue string) []types.Dimension {
	return []types.Dimension{{Name: aws.String("Queue"), Value: aws.String(queue)}}
}

func datum(minute int, values ...float64) types.MetricDatum {
	return types.MetricDatum{MetricName: aws.String("QueueWait"), Dimensions: of("photos"), Timestamp: aws.Time(noon.Add(time.Duration(minute)*time.Minute + 17*time.Second)), Values: values, Unit: types.StandardUnitMilliseconds}
}

func (w *world) statistics(change func(*sdk.GetMetricStatisticsInput)) (*sdk.GetMetricStatisticsOutput, error) {
	in := &sdk.GetMetricStatisticsInput{
		Namespace: aws.String("Nightshift"), MetricName: aws.String("QueueWait"), Dimensions: of("photos"),
		StartTime: aws.Time(noon), EndTime: aws.Time(noon.Add(10 * time.Minute)), Period: aws.Int32(60),
		Statistics: []types.Statistic{"SampleCount", "Sum", "Average", "Minimum", "Maximum"},
	}
	change(in)
	return w.client.GetMetricStatistics(ctx, in)
}

func told(points []types.Datapoint) string {
	var text []string
	for _, p := range points {
		line := p.Timestamp.UTC().Format("15:04")
		for _, v := range []*float64{p.SampleCount, p.Sum, p.Average, p.Minimum, p.Maximum} {
			if v != nil {
				line += fmt.Sprint(" ", *v)
			}
		}
		for _, name := range []string{"p50", "p90", "p99.9"} {
			if v, ok := p.ExtendedStatistics[name]; ok {
				line += fmt.Sprint(" ", name, "=", v)
			}
		}
		text = append(text, line+" "+string(p.Unit))
	}
	return strings.Join(text, "; ")
}

func TestStatistics(t *testing.T) {
	w := newWorld(t)
	var ten []float64
	for i := range 10 {
		ten = append(ten, float64(i+1)*100)
	}
	counted := datum(3, 5, 7)
	counted.Counts = []float64{9, 1}
	summary := types.MetricDatum{MetricName: aws.String("QueueWait"), Dimensions: of("photos"), Timestamp: aws.Time(noon.Add(5 * time.Minute)), Unit: types.StandardUnitMilliseconds,
		StatisticValues: &types.StatisticSet{SampleCount: aws.Float64(4), Sum: aws.Float64(40), Minimum: aws.Float64(1), Maximum: aws.Float64(30)}}
	if err := errors.Join(w.put(datum(1, ten...), datum(1, 2000), counted), w.put(summary)); err != nil {
		t.Fatal(err)
	}
	percentiles := func(in *sdk.GetMetricStatisticsInput) {
		in.Statistics, in.ExtendedStatistics = nil, []string{"p50", "p90", "p99.9"}
	}
	for name, test := range map[string]struct {
		change func(*sdk.GetMetricStatisticsInput)
		want   string
	}{
		"by the minute":   {func(*sdk.GetMetricStatisticsInput) {}, "12:01 11 7500 681.8181818181819 100 2000 Milliseconds; 12:03 10 52 5.2 5 7 Milliseconds; 12:05 4 40 10 1 30 Milliseconds"},
		"by five minutes": {func(in *sdk.GetMetricStatisticsInput) { in.Period = aws.Int32(300) }, "12:00 21 7552 359.6190476190476 5 2000 Milliseconds; 12:05 4 40 10 1 30 Milliseconds"},
		"percentiles":     {percentiles, "12:01 p50=600 p90=1000 p99.9=2000 Milliseconds; 12:03 p50=5 p90=5 p99.9=7 Milliseconds; 12:05 Milliseconds"},
		"the end is out":  {func(in *sdk.GetMetricStatisticsInput) { in.EndTime = aws.Time(noon.Add(3 * time.Minute)) }, "12:01 11 7500 681.8181818181819 100 2000 Milliseconds"},
		"from the minute": {func(in *sdk.GetMetricStatisticsInput) {
			in.StartTime = aws.Time(noon.Add(5*time.Minute + 59*time.Second))
		}, "12:05 4 40 10 1 30 Milliseconds"},
		"another queue": {func(in *sdk.GetMetricStatisticsInput) { in.Dimensions = of("search") }, ""},
		"no queue":      {func(in *sdk.GetMetricStatisticsInput) { in.Dimensions = nil }, ""},
		"of that unit": {func(in *sdk.GetMetricStatisticsInput) {
			in.Unit, in.Period = types.StandardUnitMilliseconds, aws.Int32(600)
		}, "12:00 25 7592 303.68 1 2000 Milliseconds"},
		"of another unit": {func(in *sdk.GetMetricStatisticsInput) { in.Unit = types.StandardUnitSeconds }, ""},
		"one statistic": {func(in *sdk.GetMetricStatisticsInput) {
			in.Statistics = []types.Statistic{"Sum"}
			in.Period = aws.Int32(600)
		}, "12:00 7592 Milliseconds"},
		"another metric":    {func(in *sdk.GetMetricStatisticsInput) { in.MetricName = aws.String("ServiceTime") }, ""},
		"another namespace": {func(in *sdk.GetMetricStatisticsInput) { in.Namespace = aws.String("Other") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := w.statistics(test.change)
			if err != nil {
				t.Fatal(err)
			}
			if told(got.Datapoints) != test.want {
				t.Errorf("%s\nwant %s", told(got.Datapoints), test.want)
			}
		})
	}
}

func (w *world) data(change func(*sdk.GetMetricDataInput)) (*sdk.GetMetricDataOutput, error) {
	in := &sdk.GetMetricDataInput{StartTime: aws.Time(noon), EndTime: aws.Time(noon.Add(30 * time.Minute)), MetricDataQueries: []types.MetricDataQuery{
		{Id: aws.String("waits"), MetricStat: stat("QueueWait", "Sum")},
		{Id: aws.String("none"), MetricStat: stat("Nothing", "Sum")},
		{Id: aws.String("p"), Label: aws.String("slow"), MetricStat: stat("QueueWait", "p90")},
		{Id: aws.String("hidden"), MetricStat: stat("QueueWait", "Sum"), ReturnData: aws.Bool(false)},
	}}
	change(in)
	return w.client.GetMetricData(ctx, in)
}

func stat(name, statistic string) *types.MetricStat {
	return &types.MetricStat{Metric: &types.Metric{Namespace: aws.String("Nightshift"), MetricName: aws.String(name), Dimensions: of("photos")}, Period: aws.Int32(60), Stat: aws.String(statistic)}
}

func TestData(t *testing.T) {
	w := newWorld(t)
	if err := w.put(datum(1, 1, 2), datum(4, 10), datum(2, 5)); err != nil {
		t.Fatal(err)
	}
	var pages []string
	show := func(out *sdk.GetMetricDataOutput) string {
		var text []string
		for _, r := range out.MetricDataResults {
			var at []string
			for _, stamp := range r.Timestamps {
				at = append(at, stamp.UTC().Format("04"))
			}
			text = append(text, fmt.Sprintf("%s/%s%v%v%s", *r.Id, *r.Label, at, r.Values, r.StatusCode))
		}
		return strings.Join(text, " ")
	}
	out, err := w.data(func(*sdk.GetMetricDataInput) {})
	if want := "waits/QueueWait[04 02 01][10 5 3]Complete none/Nothing[][]Complete p/slow[04 02 01][10 5 2]Complete"; err != nil || show(out) != want {
		t.Errorf("%v, %s", err, show(out))
	}
	var token *string
	for range 10 {
		out, err := w.data(func(in *sdk.GetMetricDataInput) {
			in.ScanBy, in.MaxDatapoints, in.NextToken = types.ScanByTimestampAscending, aws.Int32(2), token
		})
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, show(out))
		if token = out.NextToken; token == nil {
			break
		}
	}
	want := []string{
		"waits/QueueWait[01 02][3 5]PartialData",
		"waits/QueueWait[04][10]Complete none/Nothing[][]Complete p/slow[01][2]PartialData",
		"p/slow[02 04][5 10]Complete",
	}
	if !slices.Equal(pages, want) {
		t.Errorf("pages %q", pages)
	}
}

func TestList(t *testing.T) {
	w := newWorld(t)
	list := func(in *sdk.ListMetricsInput) (names []string) {
		t.Helper()
		pages := sdk.NewListMetricsPaginator(w.client, in)
		for pages.HasMorePages() {
			out, err := pages.NextPage(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range out.Metrics {
				name := *m.Namespace + "/" + *m.MetricName
				for _, d := range m.Dimensions {
					name += " " + *d.Name + "=" + *d.Value
				}
				names = append(names, name)
			}
		}
		return names
	}
	search := datum(1, 1)
	search.Dimensions, search.Unit = of("search"), types.StandardUnitSeconds
	plain := datum(1, 1)
	plain.Dimensions = nil
	if err := w.put(datum(1, 1), search, plain, datum(2, 2)); err != nil {
		t.Fatal(err)
	}
	if got := list(&sdk.ListMetricsInput{}); !slices.Equal(got, []string{"Nightshift/QueueWait", "Nightshift/QueueWait Queue=photos", "Nightshift/QueueWait Queue=search"}) {
		t.Errorf("all: %q", got)
	}
	if got := list(&sdk.ListMetricsInput{Dimensions: []types.DimensionFilter{{Name: aws.String("Queue")}}}); len(got) != 2 {
		t.Errorf("with a queue: %q", got)
	}
	if got := list(&sdk.ListMetricsInput{Namespace: aws.String("Nightshift"), MetricName: aws.String("QueueWait"), Dimensions: []types.DimensionFilter{{Name: aws.String("Queue"), Value: aws.String("search")}}}); len(got) != 1 {
		t.Errorf("of search: %q", got)
	}
	w.now = noon.Add(4 * time.Hour)
	if got := list(&sdk.ListMetricsInput{RecentlyActive: types.RecentlyActivePt3h}); len(got) != 0 {
		t.Errorf("recently: %q", got)
	}
	w.now = noon
	for begin := 0; begin < 1200; begin += 100 {
		var many []types.MetricDatum
		for i := range 100 {
			many = append(many, types.MetricDatum{MetricName: aws.String(fmt.Sprintf("M%04d", begin+i)), Value: aws.Float64(1)})
		}
		if err := w.put(many...); err != nil { // large enough to be sent packed
			t.Fatal(err)
		}
	}
	if got := list(&sdk.ListMetricsInput{}); len(got) != 1203 || !slices.IsSorted(got) {
		t.Errorf("%d metrics", len(got))
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	w := newWorld(t)
	w.now = noon.Add(13 * 24 * time.Hour)
	var minutes []types.MetricDatum
	for minute := range cloudwatch.MaxMinutes + 10 {
		minutes = append(minutes, datum(minute, 1))
	}
	if err := errors.Join(w.put(minutes[:1000]...), w.put(minutes[1000:]...)); err != nil {
		t.Fatal(err)
	}
	got, err := w.statistics(func(in *sdk.GetMetricStatisticsInput) {
		in.EndTime, in.Period = aws.Time(noon.Add(48*time.Hour)), aws.Int32(172800)
	})
	if err != nil || *got.Datapoints[0].SampleCount != cloudwatch.MaxMinutes {
		t.Errorf("%v, %s", err, told(got.Datapoints))
	}
	values := make([]float64, 150)
	for n := range 40 {
		for i := range values {
			values[i] = 1 + float64(n*150+i)/7
		}
		d := datum(0, values...)
		d.MetricName = aws.String("Many")
		if err := w.put(d); err != nil {
			t.Fatal(err)
		}
	}
	many, err := w.statistics(func(in *sdk.GetMetricStatisticsInput) {
		in.MetricName, in.Statistics, in.ExtendedStatistics = aws.String("Many"), nil, []string{"p50", "p90"}
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := many.Datapoints[0].ExtendedStatistics; math.Abs(p["p50"]/429.4-1) > 0.005 || math.Abs(p["p90"]/772.3-1) > 0.005 {
		t.Errorf("rounded too much: %v", p)
	}
}
