// Package memobjects is a claimcheck driver that keeps objects in memory: a test
// double that knows the rules.
package memobjects

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
)

// Driver keeps objects in memory. It may be used by many goroutines.
type Driver struct {
	now func() time.Time

	mu      sync.Mutex
	objects map[string]object
}

type object struct {
	data     []byte
	modified time.Time
}

// New makes an empty Driver. now is the clock; nil means time.Now.
func New(now func() time.Time) *Driver {
	if now == nil {
		now = time.Now
	}
	return &Driver{now: now, objects: map[string]object{}}
}

// Put writes an object.
func (d *Driver) Put(ctx context.Context, key string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.objects[key] = object{bytes.Clone(data), d.now()}
	return nil
}

// Get reads an object of at most limit bytes.
func (d *Driver) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	o, ok := d.objects[key]
	switch {
	case !ok:
		return nil, claimcheck.ErrNotFound
	case int64(len(o.data)) > limit:
		return nil, fmt.Errorf("%w: %d bytes, and %d are allowed", claimcheck.ErrTooLarge, len(o.data), limit)
	}
	return bytes.Clone(o.data), nil
}

// List gives a page of objects in the order of their keys.
func (d *Driver) List(ctx context.Context, prefix, after string, limit int) (page []claimcheck.Listed, more bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(d.objects)) {
		if !strings.HasPrefix(key, prefix) || key <= after {
			continue
		}
		if len(page) == limit {
			return page, true, nil
		}
		o := d.objects[key]
		page = append(page, claimcheck.Listed{Key: key, Bytes: int64(len(o.data)), Modified: o.modified})
	}
	return page, false, nil
}

// Delete deletes objects.
func (d *Driver) Delete(ctx context.Context, keys []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range keys {
		delete(d.objects, key)
	}
	return nil
}

// Link names the object by a URL that leads nowhere.
func (d *Driver) Link(ctx context.Context, key string, life time.Duration) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	link := url.URL{Scheme: "memory", Path: "/" + key, RawQuery: "until=" + d.now().Add(life).UTC().Format(time.RFC3339)}
	return link.String(), nil
}

// Keys gives the keys of all objects, in order.
func (d *Driver) Keys() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.objects))
}
