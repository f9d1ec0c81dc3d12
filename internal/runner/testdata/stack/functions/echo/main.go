// Command echo answers HTTP requests with what it sees, and says its settings.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

func main() {
	lambda.Start(func(_ context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		if r.Body == "fail" {
			return events.APIGatewayV2HTTPResponse{}, errors.New("asked to fail")
		}
		body, err := json.Marshal(map[string]string{
			"name": r.PathParameters["name"], "body": r.Body, "secret": os.Getenv("SECRET"), "table": os.Getenv("TABLE"),
			"queue": os.Getenv("QUEUE"), "endpoint": os.Getenv("AWS_ENDPOINT_URL"), "clock": os.Getenv("NIGHTSHIFT_CLOCK"), "told": os.Getenv("TOLD"),
		})
		return events.APIGatewayV2HTTPResponse{StatusCode: 201, Headers: map[string]string{"content-type": "application/json"}, Body: string(body)}, err
	})
}
