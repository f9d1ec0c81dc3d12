package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// In a function, enqueue.Handle goes to lambda.Start.
func ExampleNewEnqueue() {
	type Resize struct {
		Key string `json:"key"`
	}
	queue := job.Queue{Name: "photos", PeakArrivals: 20, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}
	task := job.Define[Resize]("photo.resize", job.Policy{Queue: queue, Public: true})

	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	check(err)
	p, err := producer.New(producer.Config{Jobs: jobs}, task)
	check(err)
	gate, err := admission.New(admission.Config{
		Queue: "photos", Limit: 18_000, DrainRate: 30,
		Depth: func(context.Context) (int, error) { return 0, nil },
	})
	check(err)
	enqueue, err := httpapi.NewEnqueue(httpapi.EnqueueConfig{
		Producer: p,
		Gates:    map[string]*admission.Gate{"photos": gate},
		Secret:   []byte("at least sixteen random bytes"),
	})
	check(err)

	data, err := os.ReadFile("../../events/enqueue.json")
	check(err)
	var event events.APIGatewayV2HTTPRequest
	check(json.Unmarshal(data, &event))
	answer, err := enqueue.Handle(context.Background(), event)
	fmt.Println(answer.StatusCode, strings.HasPrefix(answer.Headers["Location"], "/jobs/"), err)
	// Output: 202 true <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
