package main

import (
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"strings"

	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

// A photo is one file to send, and what should become of it.
type photo struct {
	name, contentType string
	data              func() ([]byte, error)
	// want is the code with which a sample should be refused; "" for a good one.
	want string
	// own marks a photograph of the user's, of which nobody knows whether it is
	// good: being refused for a fault of its own is then right, too.
	own bool
}

// load gives the photographs at path, or the samples.
func load(path string) ([]photo, error) {
	if path == "" {
		return samples(), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("looking for photographs: %w", err)
	}
	if !info.IsDir() {
		if p := file(path); p.isPicture() {
			return []photo{p}, nil
		}
		return nil, fmt.Errorf("%s is no photograph, by its name; .jpg, .png, .gif and .webp are", path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("looking for photographs: %w", err)
	}
	var photos []photo
	for _, entry := range entries {
		if p := file(filepath.Join(path, entry.Name())); entry.Type().IsRegular() && p.isPicture() {
			photos = append(photos, p)
		}
	}
	if len(photos) == 0 {
		return nil, fmt.Errorf("there is no photograph in %s (folders in it are not looked into)", path)
	}
	return photos, nil
}

func samples() []photo {
	var photos []photo
	for _, s := range samplephotos.All() {
		photos = append(photos, photo{name: s.Name, contentType: s.ContentType(), data: s.Data, want: s.Want})
	}
	return photos
}

// file is a photograph on disk; browsers, too, go by the name's ending.
func file(path string) photo {
	contentType := mime.TypeByExtension(strings.ToLower(filepath.Ext(path)))
	switch strings.ToLower(filepath.Ext(path)) {
	case ".heic", ".heif": // not in every table
		contentType = "image/heic"
	}
	return photo{name: filepath.Base(path), contentType: contentType, own: true, data: func() ([]byte, error) { return os.ReadFile(path) }}
}

func (p photo) isPicture() bool { return strings.HasPrefix(p.contentType, "image/") }
