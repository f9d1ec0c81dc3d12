package httpapi_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func TestShowTellsWhatWasWrittenForClients(t *testing.T) {
	for code, want := range map[string]string{"truncated": "words", job.DefaultErrorCode: "the attempt failed"} {
		got := httpapi.Show(store.Record{
			ID: "0123456789abcdefghjkmnpqrs", Row: lifecycle.Row{State: lifecycle.Dead},
			Error: &store.JobError{Code: code, Message: "words"},
		})
		if got.State != lifecycle.Dead || got.StatusURL != "/jobs/0123456789abcdefghjkmnpqrs" || got.Error.Message != want {
			t.Errorf("%s: %+v, %+v", code, got, got.Error)
		}
	}
}
