package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // the formats that the sizes are made in
	_ "image/png"
	"io"
	"net/http"
	"slices"

	photos "github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

const sizesOfAPhoto = 4

// check tells why a photograph did not end as it should, or nil.
func check(ctx context.Context, site string, r result) error {
	switch {
	case r.err != nil:
		return r.err
	case r.refused != nil && r.want == "empty":
		return nil // nothing is uploaded where there is nothing
	case r.refused != nil && !r.own:
		return r.refused
	case r.own && refused(r):
		return nil
	case r.want != "":
		return checkRefused(r)
	case r.job.State != "done" && r.job.Error != nil:
		return fmt.Errorf("the job is %s: %s", r.job.State, r.job.Error.Message)
	case r.job.State != "done":
		return fmt.Errorf("the job is %s", r.job.State)
	case len(r.sizes) != sizesOfAPhoto:
		return fmt.Errorf("%d files were made, not %d", len(r.sizes), sizesOfAPhoto)
	}
	for _, size := range r.sizes {
		if err := checkSize(ctx, site, size); err != nil {
			return fmt.Errorf("%s: %w", size.Name, err)
		}
	}
	return nil
}

// faults are what a photograph itself can be refused for.
var faults = []photos.Code{photos.CodeEmpty, photos.CodeNotAnImage, photos.CodeHEIC, photos.CodeUnsupported,
	photos.CodeTypeMismatch, photos.CodeTooLarge, photos.CodeTruncated, photos.CodeCorrupt}

// refused tells whether a photograph was turned away for what it is, by the API
// or at the first attempt of its job.
func refused(r result) bool {
	return r.refused != nil ||
		r.job.State == "dead" && r.job.Attempts == 1 && r.job.Error != nil && slices.Contains(faults, photos.Code(r.job.Error.Code))
}

func checkRefused(r result) error {
	if r.job.State != "dead" || r.job.Error == nil {
		return fmt.Errorf("the job is %s; it should be dead with the code %s", r.job.State, r.want)
	}
	if r.job.Error.Code != r.want || r.job.Attempts != 1 {
		return fmt.Errorf("the job is dead with the code %s after %d attempts; it should be %s after one", r.job.Error.Code, r.job.Attempts, r.want)
	}
	return nil
}

// checkSize fetches a file by its stable path and looks whether it is what the
// job's result says.
func checkSize(ctx context.Context, site string, size tasks.Size) (err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, site+size.URL, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", size.URL, response.Status)
	}
	picture, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if len(data) != size.Bytes || picture.Width != size.Width || picture.Height != size.Height {
		return fmt.Errorf("the file has %d×%d pixels and %d bytes, and the result says %d×%d and %d",
			picture.Width, picture.Height, len(data), size.Width, size.Height, size.Bytes)
	}
	return nil
}
