package dynamo_test

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func ExampleNew() {
	client := dynamodb.New(dynamodb.Options{Region: "eu-west-1"})
	jobs, err := store.New(store.Config{Driver: dynamo.New(client, "jobs")})
	fmt.Println(jobs != nil, err)
	// Output: true <nil>
}
