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
	// want is the code with which it should be refused; "" for a good one.
	want string
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
		return []photo{file(path)}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("looking for photographs: %w", err)
	}
	var photos []photo
	for _, entry := range entries {
		if p := file(filepath.Join(path, entry.Name())); entry.Type().IsRegular() && strings.HasPrefix(p.contentType, "image/") {
			photos = append(photos, p)
		}
	}
	if len(photos) == 0 {
		return nil, fmt.Errorf("there is no photograph in %s", path)
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
	return photo{name: filepath.Base(path), contentType: contentType, data: func() ([]byte, error) { return os.ReadFile(path) }}
}
