package memstore_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Driver {
		d := memstore.New(memstore.Config{})
		t.Cleanup(func() {
			changes, _ := d.Changes(0)
			for _, c := range changes {
				storetest.CheckHistory(t, c.Old, c.New)
			}
		})
		return d
	})
}
