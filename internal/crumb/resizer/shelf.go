package resizer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// cacheControl lets browsers and caches keep a result for good: what lies under
// its key never changes.
const cacheControl = "public, max-age=31536000, immutable"

// A shelf takes the sizes of one photo: while one is made, those before it are on
// their way to the bucket.
type shelf struct {
	objects objects.GetPutter
	id      string
	tell    func(tasks.Sizes) error
	puts    *errgroup.Group
	ctx     context.Context // that of the puts, which live as long as the shelf
	wanted  int             // how many sizes there will be

	mu      sync.Mutex
	there   []tasks.Size
	telling bool
}

func newShelf(ctx context.Context, objects objects.GetPutter, id string, wanted int, tell func(tasks.Sizes) error) *shelf {
	s := &shelf{objects: objects, id: id, wanted: wanted, tell: tell}
	s.puts, s.ctx = errgroup.WithContext(ctx)
	return s
}

// put takes a picture. An error of one before ends the work: it is all's.
func (s *shelf) put(picture photo.Image, contentType, ext string) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	key := photos.ResultKey(s.id, picture.Name+"."+ext)
	s.puts.Go(func() error {
		if err := s.objects.Put(s.ctx, key, picture.Data, contentType, cacheControl); err != nil {
			return fmt.Errorf("resizer: writing %s: %w", key, err)
		}
		return s.arrived(tasks.Size{
			Name: picture.Name, Key: key, URL: "/" + key,
			Width: picture.Width, Height: picture.Height, Bytes: len(picture.Data),
		})
	})
	return nil
}

// arrived notes a size and tells of it. What arrives while others are told of goes
// along with the next telling; when all are there, the result tells it.
func (s *shelf) arrived(size tasks.Size) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.there = append(s.there, size)
	slices.SortFunc(s.there, func(a, b tasks.Size) int { return cmp.Compare(place(a.Name), place(b.Name)) })
	if s.telling || s.tell == nil {
		return nil
	}
	s.telling = true
	defer func() { s.telling = false }()
	for told := 0; told < len(s.there) && len(s.there) < s.wanted; {
		told = len(s.there)
		sizes := tasks.Sizes{Sizes: slices.Clone(s.there)}
		s.mu.Unlock()
		err := s.tell(sizes)
		s.mu.Lock()
		if err != nil {
			return err
		}
	}
	return nil
}

// place is where a size stands among the others: the smallest first.
func place(name string) int {
	return slices.IndexFunc(photo.Sizes(), func(s photo.Size) bool { return s.Name == name })
}

// all waits for the sizes that were put, and gives them.
func (s *shelf) all() (tasks.Sizes, error) {
	if err := s.puts.Wait(); err != nil {
		return tasks.Sizes{}, err
	}
	return tasks.Sizes{Sizes: s.there}, nil
}
