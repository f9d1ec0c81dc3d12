package cloudwatch_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/nightshift-go/nightshift/internal/localaws/cloudwatch"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// What telemetry writes is what is read.
func TestEmbeddedMetrics(t *testing.T) {
	w := newWorld(t)
	var out bytes.Buffer
	emf, err := telemetry.NewEMF(telemetry.EMFConfig{Out: &out, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 250 {
		emf.Record(ctx, telemetry.QueueWait.Value("photos", float64(i+1)))
		emf.Record(ctx, telemetry.Done.Times("photos", 1))
		emf.Record(ctx, telemetry.Published.Times(telemetry.Relay, 2))
	}
	emf.Flush(ctx)
	for line := range strings.Lines(out.String()) {
		if !w.db.Ingest("photos", strings.TrimSuffix(line, "\n")) {
			t.Errorf("not taken: %s", line)
		}
	}
	got, err := w.statistics(func(in *sdk.GetMetricStatisticsInput) {})
	if want := "12:00 250 31375 125.5 1 250 Milliseconds"; err != nil || told(got.Datapoints) != want {
		t.Errorf("%v, %s", err, told(got.Datapoints))
	}
	got, err = w.statistics(func(in *sdk.GetMetricStatisticsInput) {
		in.MetricName, in.Dimensions = aws.String("Published"), []types.Dimension{{Name: aws.String("Function"), Value: aws.String("relay")}}
	})
	if want := "12:00 1 500 500 500 500 Count"; err != nil || told(got.Datapoints) != want || len(w.logs) > 0 {
		t.Errorf("%v, %s, said %q", err, told(got.Datapoints), w.logs)
	}
}

func TestLinesThatAreNoMetrics(t *testing.T) {
	document := func(aws, rest string) string { return `{"_aws":` + aws + `,"Queue":"photos",` + rest + `}` }
	meta := func(metrics string) string {
		return fmt.Sprintf(`{"Timestamp":%d,"CloudWatchMetrics":[{"Namespace":"Nightshift","Dimensions":[["Queue"]],"Metrics":[%s]}]}`, noon.UnixMilli(), metrics)
	}
	many := strings.TrimSuffix(strings.Repeat(`{"Name":"QueueWait"},`, 101), ",")
	for name, test := range map[string]struct {
		line        string
		taken, said bool
		kept        string
	}{
		"a log line":         {`{"time":"now","msg":"job"}`, false, false, ""},
		"text about metrics": {`"_aws" has "CloudWatchMetrics"`, false, false, ""},
		"half a document":    {document(meta(`{"Name":"QueueWait"}`), `"QueueWait":1`)[:80], false, false, ""},
		"a document":         {document(meta(`{"Name":"QueueWait"}`), `"QueueWait":[1,2]`), true, false, "12:00 2 3 1.5 1 2 None"},
		"after Lambda's own": {"2026-03-02T12:00:00Z\t8476a536\tINFO\t" + document(meta(`{"Name":"QueueWait"}`), `"QueueWait":1`), true, false, "12:00 1 1 1 1 1 None"},
		"101 metrics":        {document(meta(many), `"QueueWait":1`), true, true, ""},
		"101 values":         {document(meta(`{"Name":"QueueWait"}`), `"QueueWait":[1`+strings.Repeat(",1", 100)+`]`), true, true, ""},
		"no target":          {document(meta(`{"Name":"QueueWait"}`), `"Other":1`), true, true, ""},
		"null":               {document(meta(`{"Name":"QueueWait"}`), `"QueueWait":null`), true, true, ""},
		"a list with text":   {document(meta(`{"Name":"QueueWait"}`), `"QueueWait":[1,"2"]`), true, true, ""},
		"no dimension":       {strings.Replace(document(meta(`{"Name":"QueueWait"}`), `"QueueWait":1`), `"Queue":"photos"`, `"Queue":7`, 1), true, true, ""},
		"no time":            {document(`{"CloudWatchMetrics":[]}`, `"QueueWait":1`), true, true, ""},
		"a time long ago":    {document(`{"Timestamp":1,"CloudWatchMetrics":[]}`, `"QueueWait":1`), true, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if taken := w.db.Ingest("photos", test.line); taken != test.taken || (len(w.logs) > 0) != test.said {
				t.Errorf("taken: %v, said: %q", taken, w.logs)
			}
			got, err := w.statistics(func(*sdk.GetMetricStatisticsInput) {})
			if err != nil || told(got.Datapoints) != test.kept {
				t.Errorf("%v, kept: %s", err, told(got.Datapoints))
			}
		})
	}
}

func FuzzIngest(f *testing.F) {
	f.Add(`{"_aws":{"Timestamp":1772452800000,"CloudWatchMetrics":[{"Namespace":"N","Dimensions":[["Q"]],"Metrics":[{"Name":"M","Unit":"Count"}]}]},"Q":"q","M":[1,2]}`)
	f.Add(`{"_aws":{"Timestamp":1772452800000,"CloudWatchMetrics":[{"Namespace":"N","Dimensions":[[]],"Metrics":[{"Name":"M"}]}]},"M":null}`)
	f.Fuzz(func(t *testing.T, line string) {
		db := cloudwatch.New(cloudwatch.Config{Now: func() time.Time { return noon }})
		db.Ingest("f", line)
	})
}

func FuzzCall(f *testing.F) {
	for _, body := range []string{"\xa0", "\xa1\x69Namespace\x61N", "\xbf\x69StartTime\xc1\xfb\x41\xcc\x36\xa1\xc0\x00\x00\x00\xff"} {
		f.Add("GetMetricData", []byte(body))
	}
	f.Fuzz(func(t *testing.T, operation string, body []byte) {
		db := cloudwatch.New(cloudwatch.Config{Now: func() time.Time { return noon }})
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.URL.Path = "/service/GraniteServiceVersion20100801/operation/" + operation
		r.Header.Set("Smithy-Protocol", "rpc-v2-cbor")
		answer := httptest.NewRecorder()
		db.ServeHTTP(answer, r)
		if answer.Code >= 500 {
			t.Errorf("%d: %s", answer.Code, answer.Body)
		}
	})
}
