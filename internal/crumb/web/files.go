package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

//go:embed static
var static embed.FS

// A file is one static file, ready to be sent. All of them are text.
type file struct{ contentType, body, etag string }

// files are the pages and what they consist of.
type files struct {
	// pages are by name: "recipe".
	pages map[string]file
	// static holds the rest, by its path on the site.
	static map[string]file
}

// notFound is the page for paths that lead nowhere.
const notFound = "404"

// versionMark stands for the version in the HTML files.
const versionMark = "{{version}}"

// contentTypes of the kinds of file there are. The operating system is not
// asked: it may not know what a module needs to be called.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// embeddedFiles reads the embedded files, frames the pages and puts the rest
// under their version.
func embeddedFiles() (files, error) {
	raw, err := readAll(static)
	if err != nil {
		return files{}, err
	}
	version := versionOf(raw)
	out := files{pages: map[string]file{}, static: map[string]file{}}
	for name, body := range raw {
		page, isPage := strings.CutPrefix(strings.TrimSuffix(name, ".html"), "pages/")
		if isPage {
			if body, err = framed(raw["frame.html"], page, body); err != nil {
				return files{}, err
			}
		}
		contentType, ok := contentTypes[path.Ext(name)]
		if !ok {
			return files{}, fmt.Errorf("%s: unknown kind of file", name)
		}
		body = strings.ReplaceAll(body, versionMark, version)
		f := file{contentType: contentType, body: body, etag: `"` + hash([]byte(body)) + `"`}
		switch {
		case isPage:
			out.pages[page] = f
		case name != "frame.html":
			out.static["/static/"+version+"/"+name] = f
		}
	}
	for _, name := range append(slices.Collect(maps.Values(pages)), notFound) {
		if _, ok := out.pages[name]; !ok {
			return files{}, fmt.Errorf("pages/%s.html is missing", name)
		}
	}
	return out, nil
}

// readAll reads the files by their names below static.
func readAll(from fs.FS) (map[string]string, error) {
	out := map[string]string{}
	err := fs.WalkDir(from, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		out[strings.TrimPrefix(name, "static/")] = string(data)
		return err
	})
	return out, err
}

// versionOf hashes the names and contents of all files.
func versionOf(raw map[string]string) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(raw[name]), raw[name])
	}
	return short(sum.Sum(nil))
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return short(sum[:])
}

func short(sum []byte) string { return base64.RawURLEncoding.EncodeToString(sum[:12]) }
