package resizer_test

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
)

// An object is what the bucket of these tests holds.
type object struct {
	data                      []byte
	contentType, cacheControl string
}

// A bucket holds objects in memory, and fails when it is told to.
type bucket struct {
	mu      sync.Mutex
	objects map[string]object
	getErr  error
	putErr  map[string]error
}

func newBucket() *bucket { return &bucket{objects: map[string]object{}, putErr: map[string]error{}} }

func (b *bucket) Get(ctx context.Context, key string, limit int64) ([]byte, string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.objects[key]
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case b.getErr != nil:
		return nil, "", b.getErr
	case !ok:
		return nil, "", objects.ErrMissing
	case int64(len(o.data)) > limit:
		return nil, "", objects.ErrTooLarge
	}
	return o.data, o.contentType, nil
}

func (b *bucket) Put(ctx context.Context, key string, data []byte, contentType, cacheControl string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.putErr[key]; err != nil {
		return err
	}
	b.objects[key] = object{data, contentType, cacheControl}
	return ctx.Err()
}

func (b *bucket) keys() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.objects))
}
