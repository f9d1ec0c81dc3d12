package fault

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
)

// Objects is object storage as the process reaches it.
func (p *Process) Objects(inner claimcheck.Driver) claimcheck.Driver { return objects{p, inner} }

type objects struct {
	p     *Process
	inner claimcheck.Driver
}

var errSlowDown = fmt.Errorf("%w: SlowDown", ErrInjected)

// Put writes an object.
func (o objects) Put(ctx context.Context, key string, data []byte) error {
	_, err := perform(ctx, o.p, Call{Method: "Put", Key: key}, errSlowDown, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, o.inner.Put(ctx, key, data)
	})
	return err
}

// Get reads an object.
func (o objects) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	return perform(ctx, o.p, Call{Method: "Get", Key: key, Reads: true}, errSlowDown, func(ctx context.Context) ([]byte, error) {
		return o.inner.Get(ctx, key, limit)
	})
}

// A listing is what List answers.
type listing struct {
	page []claimcheck.Listed
	more bool
}

// List reads a page of the objects' names.
func (o objects) List(ctx context.Context, prefix, after string, limit int) ([]claimcheck.Listed, bool, error) {
	l, err := perform(ctx, o.p, Call{Method: "List", Key: prefix, Reads: true}, errSlowDown, func(ctx context.Context) (l listing, err error) {
		l.page, l.more, err = o.inner.List(ctx, prefix, after, limit)
		return l, err
	})
	return l.page, l.more, err
}

// Delete deletes objects.
func (o objects) Delete(ctx context.Context, keys []string) error {
	_, err := perform(ctx, o.p, Call{Method: "Delete", Key: fmt.Sprint(keys)}, errSlowDown, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, o.inner.Delete(ctx, keys)
	})
	return err
}

// Link calls nobody.
func (o objects) Link(ctx context.Context, key string, life time.Duration) (string, error) {
	return o.inner.Link(ctx, key, life)
}
