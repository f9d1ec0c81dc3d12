package runner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
)

// What a function writes in CloudWatch's embedded format is a metric, and no line of the log.
func TestMetricsOfFunctions(t *testing.T) {
	s, written := start(t, nil)
	now := time.Now()
	send(t, s, fmt.Sprintf(`{"_aws":{"Timestamp":%d,"CloudWatchMetrics":[{"Namespace":"Test","Dimensions":[["Queue"]],"Metrics":[{"Name":"Size"}]}]},"Queue":"photos","Size":[1,5]}`, now.UnixMilli()))
	client := cloudwatch.NewFromConfig(configFor(s.AWSURL(), "us-east-1"))
	eventually(t, func() bool {
		out, err := client.GetMetricStatistics(t.Context(), &cloudwatch.GetMetricStatisticsInput{
			Namespace: aws.String("Test"), MetricName: aws.String("Size"), Dimensions: []types.Dimension{{Name: aws.String("Queue"), Value: aws.String("photos")}},
			StartTime: aws.Time(now.Add(-time.Minute)), EndTime: aws.Time(now.Add(time.Minute)), Period: aws.Int32(3600), Statistics: []types.Statistic{"Sum"},
		})
		return err == nil && len(out.Datapoints) == 1 && *out.Datapoints[0].Sum == 6
	})
	send(t, s, "afterwards")
	for line := range written {
		if strings.Contains(line, "_aws") {
			t.Errorf("logged: %s", line)
		}
		if line == "worker: message afterwards" {
			break
		}
	}
}
