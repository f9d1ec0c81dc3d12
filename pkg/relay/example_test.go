package relay_test

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// The function behind the table's stream: lambda.Start(r.Handle).
func ExampleNew() {
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := relay.New(relay.Config{
		Jobs:  jobs,
		Queue: queue.New(sqs.New(sqs.Options{Region: "eu-west-1"})),
		Addresses: map[string]queue.Address{"photos": {
			URL:     "https://sqs.eu-west-1.amazonaws.com/000000000000/photos",
			Letters: "https://sqs.eu-west-1.amazonaws.com/000000000000/photos-letters",
		}},
	})
	fmt.Println(r != nil, err)
	// Output: true <nil>
}
