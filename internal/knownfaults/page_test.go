package knownfaults

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	root = "../.."
	page = root + "/docs/known-faults.md"
)

// A row of the page: a fault, what happens here, and the tests that show it or the
// reason why none is needed.
type row struct {
	line        int
	fault, here string
	shown       string
}

// because begins a reason.
const because = "none: "

// readPage reads the rows of every table of the page.
func readPage(text string) (rows []row, err error) {
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| fault ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 {
			return nil, fmt.Errorf("line %d has %d cells, want 3", i+1, len(cells))
		}
		r := row{i + 1, strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])}
		if r.fault == "" || r.here == "" || r.shown == "" {
			return nil, fmt.Errorf("line %d has an empty cell", i+1)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// A reference names a test: the package's folder, the function, and perhaps the
// name of a subtest.
type reference struct{ folder, function, subtest string }

var (
	code        = regexp.MustCompile("`([^`]*)`")
	referencing = regexp.MustCompile(`^((?:cmd|infra|internal|pkg|scripts)(?:/[a-z0-9]+)*): (\w+)(?:/(.+))?$`)
)

// references reads the last cell of a row. A reason that a fault can't happen here
// may stand beside them, or instead.
func (r row) references() (named []reference, err error) {
	for _, found := range code.FindAllStringSubmatch(r.shown, -1) {
		parts := referencing.FindStringSubmatch(found[1])
		if parts == nil {
			return nil, fmt.Errorf("line %d: %q is not the name of a test", r.line, found[1])
		}
		named = append(named, reference{parts[1], parts[2], parts[3]})
	}
	if reason := strings.TrimPrefix(r.shown, because); len(named) == 0 && (reason == r.shown || len(reason) < 20) {
		return nil, fmt.Errorf("line %d names neither a test nor a reason", r.line)
	}
	return named, nil
}

// A folder's tests: each function with the texts in its file, among which are
// the names of its subtests.
type tests map[string]map[string]bool

// parse reads a folder's files. Suites that other packages run are in files that
// are no tests themselves.
func parse(folder string) (tests, error) {
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		return nil, err
	}
	all := tests{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		texts := map[string]bool{}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil {
					texts[text] = true
				}
			}
			return true
		})
		for _, declared := range parsed.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil {
				all[f.Name.Name] = texts
			}
		}
	}
	return all, nil
}

// missing says what of a reference does not exist.
func (t tests) missing(r reference) string {
	texts, ok := t[r.function]
	switch {
	case !ok:
		return fmt.Sprintf("%s has no function %s", r.folder, r.function)
	case r.subtest != "" && !texts[r.subtest]:
		return fmt.Sprintf("%s: %s has no subtest %q", r.folder, r.function, r.subtest)
	}
	return ""
}

// The page names tests that exist.
func TestThePageNamesTestsThatExist(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readPage(string(text))
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	folders := map[string]tests{}
	for _, r := range rows {
		named, err := r.references()
		if err != nil {
			t.Error(err)
		}
		for _, ref := range named {
			if folders[ref.folder] == nil {
				if folders[ref.folder], err = parse(ref.folder); err != nil {
					t.Fatal(err)
				}
			}
			if missing := folders[ref.folder].missing(ref); missing != "" {
				t.Errorf("line %d (%s): %s", r.line, r.fault, missing)
			}
		}
	}
}

// What the page may not say is found.
func TestMistakesOfThePageAreFound(t *testing.T) {
	here, err := parse("internal/knownfaults")
	if err != nil {
		t.Fatal(err)
	}
	for cell, sound := range map[string]bool{
		"`internal/knownfaults: TestThePageNamesTestsThatExist`":             true,
		"`internal/knownfaults: TestMistakesOfThePageAreFound/a subtest`":    true,
		"`internal/knownfaults: TestMistakesOfThePageAreFound`, `pkg/x`":     false,
		"`internal/knownfaults: TestNothing`":                                false,
		"`internal/knownfaults: TestMistakesOfThePageAreFound/no " + "such`": false,
		"none: the toolkit makes no such call at all":                        true,
		"none: so":           false,
		"it is tested":       false,
		"`TestWithoutPlace`": false,
	} {
		r := row{fault: "a subtest", here: "x", shown: cell}
		named, err := r.references()
		missing := ""
		for _, ref := range named {
			missing += here.missing(ref)
		}
		if ok := err == nil && missing == ""; ok != sound {
			t.Errorf("%s: %v %s", cell, err, missing)
		}
	}
	for _, text := range []string{"| a | b |", "| a | b | |", "| a | b | c | d |"} {
		if rows, err := readPage(text); err == nil {
			t.Errorf("%q is %d rows", text, len(rows))
		}
	}
}
