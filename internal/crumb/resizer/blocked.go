package resizer

import (
	"context"
	"crypto/sha256"
	"errors"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// allow refuses contents that are on the block list: the upload as it is, or its
// pixels, so that other metadata do not get it past.
func (r *Resizer) allow(ctx context.Context, content photos.Hash) error {
	blocked, err := photos.IsBlocked(ctx, r.table, content)
	if err == nil && blocked {
		err = job.Fail(uploads.Refuse("not_allowed", "this picture is not allowed on Crumb", nil))
	}
	return err
}

// errSeen ends the work on a photo once its pixels are known.
var errSeen = errors.New("resizer: the pixels are known")

// Hashes gives what a picture is blocked by: its bytes, and its pixels where it is
// one that can be read; whatever else is put on the list is known by its bytes.
func Hashes(ctx context.Context, data []byte) ([]photos.Hash, error) {
	hashes := []photos.Hash{sha256.Sum256(data)}
	_, err := photo.ResizeInSteps(ctx, data, "", photo.Steps{Decoded: func(pixels [sha256.Size]byte) error {
		hashes = append(hashes, pixels)
		return errSeen
	}})
	var unreadable *photo.BadPhotoError
	if errors.Is(err, errSeen) || errors.As(err, &unreadable) {
		err = nil
	}
	return hashes, err
}
