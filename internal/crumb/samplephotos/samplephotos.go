// Package samplephotos makes the project's sample photographs from nothing:
// painted scenes with the metadata that real cameras write, in every format and
// variant that the site accepts, and bad files of every kind that it refuses.
//
// Nothing is random: the same program writes the same files. A Sample's data is
// made when asked for, so a test that needs one photograph pays for one.
package samplephotos

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Sample is one photograph, and what should become of it.
type Sample struct {
	// Name is the file's path within the set, with slashes: "soup.jpg",
	// "bad/truncated.jpg".
	Name string
	// Want is "" for a photograph that works, else the code with which it
	// should be refused, such as "truncated".
	Want string
	// Width and Height are the pixels of the photograph held upright; zero
	// where it should be refused. A caller may change them before it calls
	// Data, to have the same scene in another size.
	Width, Height int
	// Transparent says that its pictures keep their transparency.
	Transparent bool

	make func(w, h int) ([]byte, error)
}

// ContentType is what a browser would declare, which goes by the name's ending.
func (s Sample) ContentType() string {
	switch ext := strings.TrimPrefix(filepath.Ext(s.Name), "."); ext {
	case "jpg":
		return "image/jpeg"
	default:
		return "image/" + ext
	}
}

// Data makes the file.
func (s Sample) Data() ([]byte, error) {
	data, err := s.make(s.Width, s.Height)
	if err != nil {
		return nil, fmt.Errorf("samplephotos: making %s: %w", s.Name, err)
	}
	return data, nil
}

// Named returns the sample of that name.
func Named(name string) (Sample, error) {
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
	}
	return Sample{}, fmt.Errorf("samplephotos: no sample named %q", name)
}

// Write makes every sample and writes it to dir, which is created if need be.
func Write(dir string) error {
	for _, s := range All() {
		data, err := s.Data()
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(s.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("samplephotos: writing: %w", err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return fmt.Errorf("samplephotos: writing: %w", err)
		}
	}
	return nil
}
