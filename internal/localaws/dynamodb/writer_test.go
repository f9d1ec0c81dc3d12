package dynamodb

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// A write that fails after it has written, or panics, takes nobody with it.
func TestWritesOfOneTransactionFailAlone(t *testing.T) {
	f := newFixture(t)
	spoiled := errors.New("spoiled")
	writes := map[string]error{"good": nil, "refused": errors.New("refused"), "spoiled": spoiled, "panic": nil, "also good": nil}
	var group []*write
	for _, name := range sortedNames(writes) {
		group = append(group, &write{done: make(chan struct{}), run: func(tx *writeTx) error {
			if name == "refused" {
				return writes[name] // has written nothing
			}
			tx.dirty = true
			if err := tx.Bucket(tokensBucket).Put([]byte(name), []byte("x")); err != nil {
				return err
			}
			if name == "panic" {
				panic("on purpose")
			}
			return writes[name]
		}})
	}
	f.db.writer.commit(slices.Clone(group))
	for i, name := range sortedNames(writes) {
		<-group[i].done
		err := group[i].err
		switch {
		case name == "panic":
			if err == nil || !strings.Contains(err.Error(), "on purpose") {
				t.Errorf("panic: %v", err)
			}
		case !errors.Is(err, writes[name]) || err != nil && writes[name] == nil:
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := f.count(t, tokensBucket); n != 2 {
		t.Errorf("%d writes are stored, want the two good ones", n)
	}
}

func TestWriteAfterClose(t *testing.T) {
	db, err := Open(Config{Path: InMemory})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if err := db.writer.do(func(*writeTx) error { return nil }); !errors.Is(err, errClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := Open(Config{}); err == nil {
		t.Error("opened without a path")
	}
}
