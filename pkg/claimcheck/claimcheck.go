// Package claimcheck keeps in object storage what is too large for a job's row:
// arguments and results. The row holds a claim to it (lifecycle.Object): the
// object's key and length.
//
//	the object is written first, then the row that names it
//	the row goes first, then the object
//
// So a row never names an object that is not there, and what is left over when a
// process dies between the two is an object that no row names: an orphan, which
// package sweep collects.
//
// No object is ever written a second time: its key ends in a name that was drawn
// for it (ArgsKey, ResultKey). Nobody can overwrite what another wrote, and an
// object's age is the age of its one writing, so that whoever collects orphans can
// tell one that is about to be named by a row from one that never will.
//
// Objects is the concrete type. Below it stands Driver, a small interface with two
// implementations: package s3objects speaks to Amazon S3, package memobjects keeps
// objects in memory. Both pass the suite in package objecttest. This package
// itself needs no AWS client.
package claimcheck

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// Sizes in bytes.
const (
	// DefaultOver is the size over which arguments and results are worth an
	// object. Each KB of a row is paid for at each of its writes, three in the
	// life of a job that succeeds at once; an object costs one PUT and one GET.
	// They cost the same at 4 KB; from 8 KB on the object costs half or less,
	// which is worth its two round trips. docs/claim-check.md does the sum.
	DefaultOver = 8 << 10
	// MaxBytes is the largest value that is kept: a worker holds it in memory,
	// and again while it decodes it, for each job that it has in hand. What is
	// larger is a file: put it into storage and pass its key.
	MaxBytes = 16 << 20
)

// Errors that callers decide on.
var (
	// ErrNotFound: there is no such object, and asking again can't help.
	ErrNotFound = errors.New("claimcheck: no such object")
	// ErrTooLarge: the value is larger than the limit.
	ErrTooLarge = errors.New("claimcheck: too large")
	// ErrDamaged: the object is not what was written: its length is not the
	// row's, or its checksum is wrong.
	ErrDamaged = errors.New("claimcheck: the object is damaged")
	// ErrUnavailable: the storage did not answer, or refused; the same call may
	// succeed later.
	ErrUnavailable = errors.New("claimcheck: the storage is unavailable")
)

// A Listed is what a listing tells of an object.
type Listed struct {
	Key   string
	Bytes int64
	// Modified is when the object was written, by the storage's clock.
	Modified time.Time
}

// A Driver reads and writes objects by their keys. Its methods may be called by
// many goroutines. Errors are ErrNotFound, ErrTooLarge and ErrDamaged, wrapped,
// where they are the cause; everything else counts as ErrUnavailable. A driver may
// repeat calls whose answer was lost.
type Driver interface {
	// Put writes an object, whole or not at all.
	Put(ctx context.Context, key string, data []byte) error
	// Get reads a whole object of at most limit bytes; a larger one is
	// ErrTooLarge and is not read to its end.
	Get(ctx context.Context, key string, limit int64) ([]byte, error)
	// List gives at most limit (1 to 1000) objects whose keys begin with prefix
	// and come after a key, in the order of their bytes. more tells that there
	// are further ones.
	List(ctx context.Context, prefix, after string, limit int) (page []Listed, more bool, err error)
	// Delete deletes objects. One that is not there counts as deleted. Where
	// the error is not nil, some may be gone and others not.
	Delete(ctx context.Context, keys []string) error
	// Link makes a URL by which anybody may read one object, for as long as
	// life. It does not look whether the object is there.
	Link(ctx context.Context, key string, life time.Duration) (url string, err error)
}

// Objects keeps the values of jobs. It may be used by many goroutines.
type Objects struct{ driver Driver }

// New makes Objects.
func New(driver Driver) (*Objects, error) {
	if driver == nil {
		return nil, errors.New("claimcheck: no driver: use s3objects.New or memobjects.New")
	}
	return &Objects{driver: driver}, nil
}

// Put keeps a value under a key that was made for it, and gives the claim to it.
// Errors: ErrTooLarge (over MaxBytes), ErrUnavailable.
func (o *Objects) Put(ctx context.Context, key string, value []byte) (lifecycle.Object, error) {
	if len(value) > MaxBytes {
		return lifecycle.Object{}, fmt.Errorf("%w: %s would have %d bytes, and %d is the limit", ErrTooLarge, key, len(value), MaxBytes)
	}
	if err := o.driver.Put(ctx, key, value); err != nil {
		return lifecycle.Object{}, failed("writing", key, err)
	}
	return lifecycle.Object{Key: key, Bytes: int64(len(value))}, nil
}

// Get fetches the value that a row has a claim to. What comes back has the length
// that the row says, and the checksum that the storage computed when it was
// written. Errors: ErrNotFound, ErrDamaged, ErrUnavailable.
func (o *Objects) Get(ctx context.Context, claim lifecycle.Object) ([]byte, error) {
	if claim.Bytes < 0 || claim.Bytes > MaxBytes {
		return nil, fmt.Errorf("%w: the row says that %s has %d bytes", ErrDamaged, claim.Key, claim.Bytes)
	}
	value, err := o.driver.Get(ctx, claim.Key, claim.Bytes)
	switch {
	case errors.Is(err, ErrTooLarge):
		return nil, fmt.Errorf("%w: %s has more than the %d bytes that the row says", ErrDamaged, claim.Key, claim.Bytes)
	case err != nil:
		return nil, failed("reading", claim.Key, err)
	case int64(len(value)) != claim.Bytes:
		return nil, fmt.Errorf("%w: %s has %d bytes, and the row says %d", ErrDamaged, claim.Key, len(value), claim.Bytes)
	}
	return value, nil
}

// List gives at most limit (1 to 1000) of the objects of all jobs that come after
// a key, in the order of their keys. more tells that there are further ones. The
// only error is ErrUnavailable.
func (o *Objects) List(ctx context.Context, after string, limit int) (page []Listed, more bool, err error) {
	page, more, err = o.driver.List(ctx, Prefix, after, limit)
	if err != nil {
		return nil, false, failed("listing", Prefix, err)
	}
	return page, more, nil
}

// Delete deletes objects; those that are gone already count as deleted. Where it
// fails, ErrUnavailable, some may be gone and others not: call it again.
func (o *Objects) Delete(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := o.driver.Delete(ctx, keys); err != nil {
		return failed("deleting", fmt.Sprintf("%d objects from %s on", len(keys), keys[0]), err)
	}
	return nil
}

// Link makes a URL by which anybody may read the value, for as long as life, or
// for as long as the maker's own credentials last, if that is less.
func (o *Objects) Link(ctx context.Context, claim lifecycle.Object, life time.Duration) (string, error) {
	url, err := o.driver.Link(ctx, claim.Key, life)
	if err != nil {
		return "", failed("making a link to", claim.Key, err)
	}
	return url, nil
}

// failed says what was tried, and leaves no error without a sentinel.
func failed(doing, what string, err error) error {
	for _, known := range []error{ErrNotFound, ErrTooLarge, ErrDamaged} {
		if errors.Is(err, known) {
			return fmt.Errorf("claimcheck: %s %s: %w", doing, what, err)
		}
	}
	return fmt.Errorf("%w: %s %s: %w", ErrUnavailable, doing, what, err)
}
