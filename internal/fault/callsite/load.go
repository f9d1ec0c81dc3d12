// Package callsite lists the calls to AWS in pkg, from its source: what fault
// injection has to reach.
//
// A call to AWS is a call of a method of store.Driver or claimcheck.Driver, or of
// anything that has the shape of an AWS SDK client's methods. The drivers themselves
// are passed over: each of their methods makes one call.
package callsite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// toolkit is the import path that all packages of pkg begin with.
const toolkit = "github.com/nightshift-go/nightshift/pkg/"

// listed is what the go command says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// load parses and checks every package of pkg, found from a folder of the module.
func load(dir string) ([]*source, error) {
	command := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", toolkit+"...")
	command.Dir = dir
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("callsite: listing packages: %w: %s", err, problems.String())
	}
	exports := map[string]string{}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("callsite: listing packages: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, toolkit) {
			packages = append(packages, p)
		}
	}
	files := token.NewFileSet()
	l := &loader{files: files, checked: map[string]*types.Package{}, compiled: importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	var sources []*source
	for _, p := range packages { // each after what it imports
		s, err := l.check(p)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// A source is one package, parsed and checked.
type source struct {
	pkg   *types.Package
	files []*ast.File
	info  *types.Info
}

// A loader imports what it has checked itself, and everything else as compiled.
type loader struct {
	files    *token.FileSet
	checked  map[string]*types.Package
	compiled types.Importer
}

// Import gives a package.
func (l *loader) Import(path string) (*types.Package, error) {
	if p, ok := l.checked[path]; ok {
		return p, nil
	}
	return l.compiled.Import(path)
}

func (l *loader) check(p listed) (*source, error) {
	s := &source{info: &types.Info{
		Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(l.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("callsite: %w", err)
		}
		s.files = append(s.files, file)
	}
	config := types.Config{Importer: l}
	var err error
	if s.pkg, err = config.Check(p.ImportPath, l.files, s.files, s.info); err != nil {
		return nil, fmt.Errorf("callsite: checking %s: %w", p.ImportPath, err)
	}
	l.checked[p.ImportPath] = s.pkg
	return s, nil
}
