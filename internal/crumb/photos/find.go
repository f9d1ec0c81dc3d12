package photos

import (
	"context"
	"errors"
	"path"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
)

// Find reads a size ("medium") of the photo that was uploaded under a key, of at most
// limit bytes, and gives its format, "jpg" or "png". ok is false where there is none,
// or none yet; an empty key has none.
func Find(ctx context.Context, from objects.Getter, uploadKey, size string, limit int64) (data []byte, format string, ok bool, err error) {
	if uploadKey == "" {
		return nil, "", false, nil
	}
	for _, format = range []string{"jpg", "png"} {
		data, _, err = from.Get(ctx, ResultKey(path.Base(uploadKey), size+"."+format), limit)
		switch {
		case err == nil:
			return data, format, true, nil
		case !errors.Is(err, objects.ErrMissing):
			return nil, "", false, err
		}
	}
	return nil, "", false, nil
}
