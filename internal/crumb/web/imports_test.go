package web_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	imported = regexp.MustCompile(`(?m)^import \{([^}]+)\} from "([^"]+)";`)
	exported = regexp.MustCompile(`(?m)^export (?:async function|function|class|const) (\w+)`)
)

// TestModulesFit holds every import to naming something that its module exports,
// and every page to having a script of its own.
func TestModulesFit(t *testing.T) {
	sources := map[string]string{}
	static := os.DirFS("static")
	err := fs.WalkDir(static, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(static, name)
		sources[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	exports := func(name string) map[string]bool {
		names := map[string]bool{}
		for _, match := range exported.FindAllStringSubmatch(sources[name], -1) {
			names[match[1]] = true
		}
		return names
	}
	for name, source := range sources {
		switch path.Ext(name) {
		case ".js":
			for _, match := range imported.FindAllStringSubmatch(source, -1) {
				from := exports(path.Join(path.Dir(name), match[2]))
				for want := range strings.SplitSeq(match[1], ",") {
					if want = strings.TrimSpace(want); !from[want] {
						t.Errorf("%s imports %s of %s, which exports no such thing", name, want, match[2])
					}
					if body := source[strings.LastIndex(source, "import {"):]; !regexp.MustCompile(`\b` + want + `\b`).MatchString(body[strings.Index(body, "\n"):]) {
						t.Errorf("%s imports %s and does not use it", name, want)
					}
				}
			}
		case ".html":
			if dir, page := path.Split(name); dir == "pages/" && sources["js/pages/"+strings.TrimSuffix(page, ".html")+".js"] == "" {
				t.Errorf("%s has no script", name)
			}
		}
	}
}
