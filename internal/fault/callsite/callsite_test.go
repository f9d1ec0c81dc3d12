package callsite_test

import (
	"slices"
	"testing"

	"github.com/nightshift-go/nightshift/internal/fault/callsite"
)

func TestFind(t *testing.T) {
	calls, err := callsite.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{
		"worker.(*batch).finish › store.(*Jobs).Finish: Write",
		"worker.(*batch).claimAlone › store.(*Jobs).TakeOver › buryOrphan: Write",
		"worker.(*batch).hideFailed › queue.(*SQS).Hide › hideBatch: ChangeMessageVisibilityBatch",
		"sweep.(*healer).remedy › store.(*Jobs).Promote › Get: Get",
		"sweep.(*Backstop).heal › store.(*Jobs).Requeue › buryOrphan: Write",
		"producer.(*Producer).Make › store.(*Jobs).Create › createTogether: Transact",
	} {
		if !slices.Contains(calls.Places, place) {
			t.Errorf("%s was not found", place)
		}
	}
	if !calls.Forwarders["store.(*Jobs).write"] || calls.Forwarders["store.(*Jobs).Finish"] {
		t.Errorf("forwarders %v", calls.Forwarders)
	}
	for _, place := range calls.Places {
		t.Log(place)
	}
}
