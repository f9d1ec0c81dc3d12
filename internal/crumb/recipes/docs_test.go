package recipes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The map of work in the docs leads to files that are there, and so do the tests
// that it names.
func TestTheMapOfWork(t *testing.T) {
	page, err := os.ReadFile("../../../docs/crumb.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`([^`]+)`")
	found := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || strings.Contains(line, "---") || strings.Contains(line, "declared in") {
			continue
		}
		for folder, cell := range map[string]string{"../tasks": cells[3], "..": cells[4]} {
			for _, name := range names.FindAllStringSubmatch(cell, -1) {
				if _, err := os.Stat(filepath.Join(folder, name[1])); err != nil {
					t.Errorf("%s: %v", strings.TrimSpace(cells[1]), err)
				}
				found++
			}
		}
	}
	if found < 30 {
		t.Errorf("%d names were found in the table", found)
	}
	source, err := os.ReadFile("relay_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range regexp.MustCompile("`(Test[A-Za-z]+)`").FindAllStringSubmatch(string(page), -1) {
		if !strings.Contains(string(source), "func "+test[1]+"(") {
			t.Errorf("there is no %s", test[1])
		}
	}
}
