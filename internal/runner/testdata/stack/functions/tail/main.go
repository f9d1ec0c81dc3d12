// Command tail says what stream records, objects and ticks it gets.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

type event struct {
	Records []record
	Tick    bool `json:"tick"`
}

// A record is of a stream or of a bucket.
type record struct {
	events.DynamoDBEventRecord
	S3 *events.S3Entity `json:"s3"`
}

func main() {
	lambda.Start(func(_ context.Context, e event) error {
		if e.Tick {
			fmt.Println("tick")
		}
		for _, r := range e.Records {
			if r.S3 != nil {
				fmt.Println("object", r.S3.Object.URLDecodedKey)
				continue
			}
			publish := r.Change.NewImage["publish"].String()
			fmt.Println("record", publish)
			if publish == "bad" {
				return errors.New("a bad record")
			}
		}
		return nil
	})
}
