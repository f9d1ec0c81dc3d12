package callsite

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A function is one of pkg's, with what is written within it.
type function struct {
	obj  *types.Func
	pkg  *types.Package
	name string
	// aws are the methods of AWS's clients that it calls, and uses the other
	// functions that it names.
	aws  []string
	uses []*types.Func
	// passes are the functions to which it hands a request that it was handed
	// itself; nil stands for a client.
	passes []*types.Func
	// forwards tells that all it calls was made up by its callers.
	forwards bool
}

// A graph is who calls whom. Where an interface is called, every type of pkg that
// implements it is.
type graph struct {
	functions map[*types.Func]*function
	named     []types.Type
}

func (g *graph) read(s *source) {
	scope := s.pkg.Scope()
	for _, name := range scope.Names() {
		if t, ok := scope.Lookup(name).(*types.TypeName); ok && !t.IsAlias() {
			g.named = append(g.named, t.Type(), types.NewPointer(t.Type()))
		}
	}
	for _, file := range s.files {
		for _, declaration := range file.Decls {
			d, ok := declaration.(*ast.FuncDecl)
			if !ok || d.Body == nil {
				continue
			}
			obj := s.info.Defs[d.Name].(*types.Func)
			f := &function{obj: obj, pkg: s.pkg, name: nameOf(obj)}
			ast.Inspect(d.Body, func(n ast.Node) bool { f.see(s, n); return true })
			g.functions[obj] = f
		}
	}
}

// see takes note of a part of the function.
func (f *function) see(s *source, n ast.Node) {
	switch n := n.(type) {
	case *ast.Ident:
		if used, ok := s.info.Uses[n].(*types.Func); ok {
			used = used.Origin()
			if isAWS(used) {
				f.aws = append(f.aws, used.Name())
			} else {
				f.uses = append(f.uses, used)
			}
		}
	case *ast.CallExpr:
		callee := calleeOf(s, n)
		for _, argument := range n.Args {
			if id, ok := argument.(*ast.Ident); ok && callee != nil && f.isParameter(s.info.Uses[id]) && isRequest(s.info.Uses[id].Type()) {
				f.passes = append(f.passes, callee)
			}
		}
	}
}

func calleeOf(s *source, call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return nil
	}
	callee, _ := s.info.Uses[id].(*types.Func)
	return callee
}

func (f *function) isParameter(object types.Object) bool {
	parameters := f.obj.Signature().Params()
	for i := range parameters.Len() {
		if object == parameters.At(i) {
			return true
		}
	}
	return false
}

// isRequest tells whether values of a type are what a client is asked for.
func isRequest(t types.Type) bool {
	switch u := t.(type) {
	case *types.Slice:
		t = u.Elem()
	case *types.Pointer:
		return strings.HasPrefix(pathOf(u.Elem()), sdk)
	}
	return slices.Contains([]string{toolkit + "store.Write", toolkit + "store.Query", toolkit + "store.Scan"}, types.TypeString(t, nil))
}

const sdk = "github.com/aws/aws-sdk-go-v2/service/"

// pathOf is the import path of a named type's package.
func pathOf(t types.Type) string {
	if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path()
	}
	return ""
}

// isAWS tells whether a method is a call to AWS: it is a driver's, or takes a
// context, an operation's input and options for the client. Presigning takes other
// options, and calls nobody; neither does making a link.
func isAWS(f *types.Func) bool {
	if driver, ok := strings.CutSuffix(f.FullName(), "Driver)."+f.Name()); ok && (driver == "("+toolkit+"store." || driver == "("+toolkit+"claimcheck.") {
		return f.Name() != "Link"
	}
	s := f.Signature()
	if s.Recv() == nil || !s.Variadic() || s.Params().Len() != 3 {
		return false
	}
	input, ok := s.Params().At(1).Type().(*types.Pointer)
	if !ok || !strings.HasPrefix(pathOf(input.Elem()), sdk) {
		return false
	}
	options, ok := s.Params().At(2).Type().(*types.Slice)
	return ok && strings.HasSuffix(types.TypeString(options.Elem(), nil), ".Options)")
}

// findForwarders marks the functions that only hand calls on: those that nobody
// else calls a client for, and exported ones make calls up.
func (g *graph) findForwarders() {
	for changed := true; changed; {
		changed = false
		for _, f := range g.functions {
			if f.forwards || f.obj.Exported() {
				continue
			}
			for _, to := range f.passes {
				if isAWS(to) || g.functions[to] != nil && g.functions[to].forwards {
					f.forwards, changed = true, true
				}
			}
		}
	}
}

// resolve gives the functions that a use may mean.
func (g *graph) resolve(to *types.Func) []*function {
	if f := g.functions[to]; f != nil {
		return []*function{f}
	}
	recv := to.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) || to.Pkg() == nil || !strings.HasPrefix(to.Pkg().Path(), toolkit) {
		return nil
	}
	contract := recv.Type().Underlying().(*types.Interface)
	var found []*function
	for _, t := range g.named {
		if types.IsInterface(t) || !types.Implements(t, contract) {
			continue
		}
		method, _, _ := types.LookupFieldOrMethod(t, false, to.Pkg(), to.Name())
		if f := g.functions[method.(*types.Func)]; f != nil && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found
}

// nameOf gives a function's name as fault.Site has it.
func nameOf(f *types.Func) string {
	pkg, name := strings.TrimPrefix(f.Pkg().Path(), toolkit), f.Name()
	if recv := f.Signature().Recv(); recv != nil {
		if pointer, ok := recv.Type().(*types.Pointer); ok {
			named, _ := pointer.Elem().(*types.Named)
			name = "(*" + named.Obj().Name() + ")." + name
		}
	}
	return pkg + "." + name
}
