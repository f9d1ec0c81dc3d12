package s3

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// The clock is held from before a change is answered until somebody was told of it, and
// is let go where a notice is to be told again later.
func TestTheClockIsHeldUntilSomebodyWasTold(t *testing.T) {
	var held atomic.Int64
	let := make(chan struct{}, 100)
	l := newListeners()
	asked, answer := make(chan struct{}), make(chan error)
	s := open(t, func(c *Config) {
		l.config(c)
		c.Hold = func() func() {
			held.Add(1)
			return func() { held.Add(-1); let <- struct{}{} }
		}
		c.Invoke = func(ctx context.Context, _ string, _ []byte, concluded func()) error {
			select {
			case asked <- struct{}{}:
			case <-ctx.Done():
				return ctx.Err()
			}
			err := <-answer
			if err == nil {
				concluded()
			}
			return err
		}
	})
	if err := s.notify(toFunction(nil, "s3:ObjectCreated:*")); err != nil {
		t.Fatal(err)
	}
	s.mustPut("early", "1")
	if held.Load() != 0 {
		t.Error("it is held, and nobody tells")
	}
	s.db.Notify()
	for _, err := range []error{nil, errors.New("busy"), nil} { // the last is for either event
		<-asked
		if held.Load() != 1 {
			t.Errorf("%d hold it while somebody is told", held.Load())
		}
		answer <- err
		select {
		case <-let:
		case <-time.After(20 * time.Second):
			t.Fatal("it is not let go")
		}
		s.mustPut("next", "1")
	}
	<-asked
	close(answer) // heard, and whatever else is told
	s.db.messenger.close()
	if held.Load() != 0 {
		t.Errorf("%d hold it after the end", held.Load())
	}
}

// A notice that can't be read holds up no other.
func TestANoticeThatCanNotBeRead(t *testing.T) {
	l := newListeners()
	s := open(t, l.config)
	err := s.db.index.Update(func(tx *bolt.Tx) error {
		number, err := tx.Bucket(noticesBucket).NextSequence()
		return errors.Join(err, tx.Bucket(noticesBucket).Put(noticeKey(number), []byte("{")))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.notify(toFunction(nil, "s3:ObjectCreated:*")); err != nil {
		t.Fatal(err)
	}
	s.mustPut("a", "1")
	s.db.Notify()
	if _, r := l.next(t); r.S3.Object.Key != "a" {
		t.Errorf("told of %s", r.S3.Object.Key)
	}
}
