package readers

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
)

// cheap makes tests quick.
var cheap = Cost{Memory: 16, Passes: 1, Threads: 1}

func passwords(t testing.TB, cost Cost) *Passwords {
	t.Helper()
	p, err := NewPasswords(cost, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPasswords(t *testing.T) {
	p := passwords(t, Cost{})
	kept, err := p.Hash(t.Context(), "caf\u00e9 au lait")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(kept), "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("kept as %s", kept)
	}
	for text, want := range map[string]bool{"caf\u00e9 au lait": true, "cafe\u0301 au lait": true, "cafe au lait": false, "": false} {
		if right, stale, err := p.Check(t.Context(), kept, text); right != want || stale || err != nil {
			t.Errorf("%q: %v, %v, %v", text, right, stale, err)
		}
	}
	if other, err := p.Hash(t.Context(), "caf\u00e9 au lait"); err != nil || bytes.Equal(other, kept) {
		t.Errorf("two readers with one password have one hash (%v)", err)
	}
}

func TestAHashOfAnotherCostIsStale(t *testing.T) {
	old, err := passwords(t, cheap).Hash(t.Context(), "onions and more")
	if err != nil {
		t.Fatal(err)
	}
	dearer := passwords(t, Cost{Memory: 32, Passes: 1, Threads: 1})
	if right, stale, err := dearer.Check(t.Context(), old, "onions and more"); !right || !stale || err != nil {
		t.Errorf("%v, %v, %v", right, stale, err)
	}
}

// Where there is no reader the same work is done: it waits for its turn like any
// other.
func TestNobodysPasswordIsCheckedAsWell(t *testing.T) {
	p := passwords(t, cheap)
	if right, _, err := p.Check(t.Context(), nil, "anything"); right || err != nil {
		t.Errorf("nobody's password: %v, %v", right, err)
	}
	if cost, _, _, err := decode(p.decoy); cost != cheap || err != nil {
		t.Errorf("the decoy takes %+v (%v)", cost, err)
	}
	for range atOnce {
		p.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := p.Check(ctx, nil, "anything"); !errors.Is(err, context.Canceled) {
		t.Errorf("with all hands full: %v", err)
	}
	if _, err := p.Hash(ctx, "anything"); !errors.Is(err, context.Canceled) {
		t.Errorf("with all hands full: %v", err)
	}
}

func TestCosts(t *testing.T) {
	for _, c := range []Cost{
		{Memory: 7, Passes: 1, Threads: 1}, {Memory: 16, Threads: 1}, {Memory: 16, Passes: 1},
		{Memory: mostMemory + 1, Passes: 1, Threads: 1}, {Memory: 16, Passes: mostPasses + 1, Threads: 1},
	} {
		if _, err := NewPasswords(c, rand.Reader); !errors.Is(err, ErrHash) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := NewPasswords(cheap, strings.NewReader("short")); err == nil {
		t.Error("it does without a salt")
	}
}

// Whatever is in a row, decoding it neither panics nor asks for more than the
// bounds, and only our own writing passes.
func FuzzHash(f *testing.F) {
	kept, err := passwords(f, cheap).Hash(f.Context(), "onions and more")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(kept)
	f.Add([]byte("$argon2id$v=19$m=4294967295,t=1,p=1$AAAA$AAAA"))
	f.Add([]byte("$argon2id$v=19$m=16,t=0,p=0$$"))
	f.Fuzz(func(t *testing.T, kept []byte) {
		c, salt, sum, err := decode(kept)
		if err != nil {
			if !errors.Is(err, ErrHash) {
				t.Errorf("%q: %v", kept, err)
			}
			return
		}
		if err := c.check(); err != nil || !bytes.Equal(encode(c, salt, sum), kept) {
			t.Errorf("%q passed as %+v (%v)", kept, c, err)
		}
	})
}
