package e2e_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A polling is how a worker's queue is polled, as the stack's page shows it.
type polling struct {
	Function string `json:"function"`
	Enabled  bool   `json:"enabled"`
	Most     int    `json:"maximum_concurrency"`
	Pollers  int    `json:"pollers"`
}

func pollingOf(t *testing.T, stack *runner.Stack, function string) polling {
	t.Helper()
	answer, err := http.Get(stack.HTTPURL() + "/_nightshift/state")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var state struct{ Mappings []polling }
	if err := json.NewDecoder(answer.Body).Decode(&state); err != nil {
		t.Fatal(err)
	}
	for _, m := range state.Mappings {
		if m.Function == function {
			return m
		}
	}
	t.Fatalf("nobody polls for %s", function)
	return polling{}
}

// The newsletter lends its workers to the photos: its queue is not polled any more and
// photos may have more at once, until nobody needs them there, and all is as before.
func TestWorkersAreLentAndComeBack(t *testing.T) {
	logs := &lines{}
	config := stackConfig(built, logs)
	config.Prebuilt, config.TimeScale, config.Workers = true, 600, 200
	stack, err := runner.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stack.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(logs)
		}
	})
	pass := func(d time.Duration) {
		t.Helper()
		if err := stack.Clock().Until(t.Context(), stack.Clock().Now().Add(d)); err != nil {
			t.Fatal(err)
		}
	}
	found := runner.Found{AWS: stack.AWSURL(), Region: "us-east-1"}
	jobs, err := store.New(store.Config{Driver: dynamo.New(dynamodb.NewFromConfig(found.AWSConfig()), "JobsTable"), Now: stack.Clock().Now})
	if err != nil {
		t.Fatal(err)
	}
	desk, err := scaling.NewDesk(jobs, stack.Clock().Now)
	if err != nil {
		t.Fatal(err)
	}
	pass(2 * time.Minute) // the function has run, and says which queues there are
	photos, newsletter := pollingOf(t, stack, "photos"), pollingOf(t, stack, "newsletter")
	if !newsletter.Enabled || newsletter.Pollers == 0 || photos.Most == 0 {
		t.Fatalf("before: %+v, %+v", photos, newsletter)
	}
	if _, err := desk.Lend(t.Context(), "newsletter", "photos", 1, 30*time.Minute); err != nil {
		t.Fatal(err)
	}
	until(t, "the loan", func() bool {
		pass(20 * time.Second)
		lent, lends := pollingOf(t, stack, "photos"), pollingOf(t, stack, "newsletter")
		return lent.Most > photos.Most && lent.Most <= photos.Most+newsletter.Most && !lends.Enabled && lends.Pollers == 0
	})
	until(t, "the end of the loan", func() bool {
		pass(time.Minute)
		back := pollingOf(t, stack, "newsletter")
		return pollingOf(t, stack, "photos").Most == photos.Most && back.Enabled && back.Most == newsletter.Most && back.Pollers > 0
	})
	loans, err := desk.Loans(t.Context())
	if err != nil || len(loans) != 1 || loans[0].Why != "photos is short again" {
		t.Errorf("%+v, %v", loans, err)
	}
}
