// Command tail says what stream records and ticks it gets.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

type event struct {
	events.DynamoDBEvent
	Tick bool `json:"tick"`
}

func main() {
	lambda.Start(func(_ context.Context, e event) error {
		if e.Tick {
			fmt.Println("tick")
		}
		for _, r := range e.Records {
			publish := r.Change.NewImage["publish"].String()
			fmt.Println("record", publish)
			if publish == "bad" {
				return errors.New("a bad record")
			}
		}
		return nil
	})
}
