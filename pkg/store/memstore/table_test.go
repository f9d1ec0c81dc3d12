package memstore_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/store/storetest"
)

// A table beside the jobs table passes the suite of drivers.
func TestTableConformance(t *testing.T) {
	storetest.RunDriver(t, func(t *testing.T) store.Driver {
		d := memstore.New(memstore.Config{Tables: map[string][]string{"site": {store.PartitionKey, store.SortKey}}})
		table, err := d.Table("site")
		if err != nil {
			t.Fatal(err)
		}
		return table
	})
}

func TestTableThatCannotBeRead(t *testing.T) {
	d := memstore.New(memstore.Config{Tables: map[string][]string{"index": {"name"}}})
	for _, name := range []string{"index", "nothing"} {
		if _, err := d.Table(name); err == nil {
			t.Errorf("the table %q can be read", name)
		}
	}
}
