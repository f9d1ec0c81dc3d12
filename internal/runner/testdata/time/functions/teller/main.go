// Command teller says what it gets and what time it is then by the stack's clock.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/nightshift-go/nightshift/pkg/settings"
)

type record struct {
	MessageID  string `json:"messageId"`
	Body       string `json:"body"` // milliseconds of work
	Attributes struct{ SentTimestamp, ApproximateReceiveCount string }
	Dynamodb   *struct{ ApproximateCreationDateTime float64 }
}

type event struct {
	Name, At string // of a schedule
	RawPath  string // of a request
	Records  []record
}

type failure struct {
	ID string `json:"itemIdentifier"`
}

func main() {
	now := settings.Read(os.Getenv).Now()
	tell := func(kind, about string) { fmt.Println(kind, now().UTC().Format(time.RFC3339Nano), about) }
	lambda.Start(func(ctx context.Context, e event) (any, error) {
		failed := []failure{}
		switch {
		case e.Name != "":
			tell(e.Name, e.At)
		case e.RawPath != "":
			began := now()
			time.Sleep(200 * time.Millisecond)
			return map[string]any{"statusCode": 200, "body": strconv.FormatInt(now().Sub(began).Milliseconds(), 10)}, nil
		}
		for _, r := range e.Records {
			if r.Dynamodb != nil {
				tell("record", time.Unix(int64(r.Dynamodb.ApproximateCreationDateTime), 0).UTC().Format(time.RFC3339))
				continue
			}
			sent, _ := strconv.ParseInt(r.Attributes.SentTimestamp, 10, 64)
			tell("message", time.UnixMilli(sent).UTC().Format(time.RFC3339Nano))
			if r.Body == "again" && r.Attributes.ApproximateReceiveCount == "1" {
				failed = append(failed, failure{r.MessageID})
				continue
			}
			work(ctx, now, r.Body)
		}
		return map[string]any{"batchItemFailures": failed}, nil
	})
}

// work works, and says how long that was by the stack's clock, and whether the time for it
// was over before.
func work(ctx context.Context, now func() time.Time, milliseconds string) {
	n, _ := strconv.Atoi(milliseconds)
	began := now()
	select {
	case <-time.After(time.Duration(n) * time.Millisecond):
		said, _ := json.Marshal(now().Sub(began).Milliseconds())
		fmt.Println("worked", string(said))
	case <-ctx.Done():
		fmt.Println("out of time")
	}
}
