package exports_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
)

// A bucket is what exports need of S3, in memory: parts may be written over, a
// completed or given-up upload is no upload any more.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
	uploads map[string]map[int32][]byte
	begun   int
	// parts counts the parts that were written, and completed the archives.
	parts, completed int
	// after is called after each call that changed something; nil: nothing.
	after func(call string) error
}

func newBucket() *bucket {
	return &bucket{objects: map[string][]byte{}, uploads: map[string]map[int32][]byte{}}
}

func (b *bucket) Get(_ context.Context, key string, _ int64) ([]byte, string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.objects[key]
	if !ok {
		return nil, "", objects.ErrMissing
	}
	return data, "", nil
}

func (b *bucket) Size(_ context.Context, key string) (int64, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.objects[key]
	return int64(len(data)), ok, nil
}

func (b *bucket) BeginUpload(_ context.Context, key, _ string) (string, error) {
	b.mu.Lock()
	b.begun++
	id := fmt.Sprint(key, "?", b.begun)
	b.uploads[id] = map[int32][]byte{}
	b.mu.Unlock()
	return id, b.did("begin")
}

func (b *bucket) UploadPart(_ context.Context, _, upload string, number int32, data []byte) error {
	b.mu.Lock()
	parts, ok := b.uploads[upload]
	if ok {
		parts[number] = append([]byte(nil), data...)
		b.parts++
	}
	b.mu.Unlock()
	if !ok {
		return objects.ErrNoUpload
	}
	return b.did("part")
}

func (b *bucket) CompleteUpload(_ context.Context, key, upload string, last int32) error {
	b.mu.Lock()
	parts, ok := b.uploads[upload]
	if ok {
		var all []byte
		for number := int32(1); number <= last; number++ {
			all = append(all, parts[number]...)
		}
		b.objects[key] = all
		delete(b.uploads, upload)
		b.completed++
	}
	b.mu.Unlock()
	if !ok {
		return objects.ErrNoUpload
	}
	return b.did("complete")
}

// giveUp forgets all uploads, as the bucket's rule does after a day.
func (b *bucket) giveUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.uploads)
}

func (b *bucket) did(call string) error {
	if b.after == nil {
		return nil
	}
	return b.after(call)
}
