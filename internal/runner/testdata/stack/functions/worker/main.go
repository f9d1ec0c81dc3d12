// Command worker says what messages it gets and fails those that are bad.
package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	lambda.Start(func(_ context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		var answer events.SQSEventResponse
		for _, m := range e.Records {
			fmt.Println("message", m.Body)
			if m.Body == "bad" {
				answer.BatchItemFailures = append(answer.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
			}
		}
		return answer, nil
	})
}
