package telemetry_test

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// A handler measures something of its own.
func ExampleMetric() {
	recorder, err := telemetry.NewEMF(telemetry.EMFConfig{Now: func() time.Time { return time.UnixMilli(1780000000000) }})
	if err != nil {
		fmt.Println(err)
		return
	}
	pixels := telemetry.Metric{Name: "Pixels", Unit: telemetry.Count, By: telemetry.ByQueue}

	telemetry.Record(context.Background(), recorder, pixels.Value("photos", 12_000_000))
	recorder.Flush(context.Background()) // the worker does this at the end of each batch
	// Output:
	// {"_aws":{"Timestamp":1780000000000,"CloudWatchMetrics":[{"Namespace":"Nightshift","Dimensions":[["Queue"]],"Metrics":[{"Name":"Pixels","Unit":"Count"}]}]},"Queue":"photos","Pixels":12000000}
}
