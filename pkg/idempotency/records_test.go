package idempotency_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/idempotency"
)

func TestNewReportsEveryMistake(t *testing.T) {
	_, err := idempotency.New(idempotency.Config{Retention: time.Millisecond, Lease: -1, MaxResult: 1 << 20})
	if err == nil {
		t.Fatal("no mistake")
	}
	for _, part := range []string{"driver", "Retention", "Lease", "MaxResult"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s is not in %v", part, err)
		}
	}
}
