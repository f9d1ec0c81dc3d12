package callsite

import (
	"go/types"
	"maps"
	"slices"

	"github.com/nightshift-go/nightshift/internal/fault"
)

// Calls is what was found in the source.
type Calls struct {
	// Places are the calls, as fault.Call.Place names them, in order.
	Places []string
	// Forwarders are the functions that hand on calls that others make up.
	Forwarders map[string]bool
}

// Find lists the calls to AWS in pkg, of the module that dir lies in.
func Find(dir string) (Calls, error) {
	sources, err := load(dir)
	if err != nil {
		return Calls{}, err
	}
	g := graph{functions: map[*types.Func]*function{}}
	for _, s := range sources {
		switch s.pkg.Name() {
		case "dynamo", "memstore", "storetest", "s3objects", "memobjects", "objecttest", "nightshifttest":
			// They are what stands behind the drivers, or test it.
		default:
			g.read(s)
		}
	}
	g.findForwarders()
	found := Calls{Forwarders: map[string]bool{}}
	places := map[string]bool{}
	for _, f := range g.functions {
		if f.forwards {
			found.Forwarders[f.name] = true
		}
		for _, place := range g.placesOf(f) {
			places[place] = true
		}
	}
	found.Places = slices.Sorted(maps.Keys(places))
	return found, nil
}

// placesOf names the calls that are made where a function is entered from outside
// of its package: by every function of pkg that does so, or else by the program.
func (g *graph) placesOf(entry *function) (places []string) {
	leaves := g.leaves(entry, map[*function]bool{})
	if len(leaves) == 0 {
		return nil
	}
	var from []string
	for _, caller := range g.functions {
		if caller.pkg != entry.pkg && g.calls(caller, entry) {
			from = append(from, caller.name)
		}
	}
	if len(from) == 0 && entry.obj.Exported() {
		from = []string{""}
	}
	for _, f := range from {
		for _, l := range leaves {
			site := fault.Site{From: f, Entry: entry.name, Leaf: l.by.name}
			places = append(places, fault.Call{Site: site, Method: l.method}.Place())
		}
	}
	return places
}

// A leaf is a call to AWS and the function that makes it up.
type leaf struct {
	by     *function
	method string
}

// leaves are the calls that a function leads to within its own package.
func (g *graph) leaves(f *function, seen map[*function]bool) (leaves []leaf) {
	if seen[f] {
		return nil
	}
	seen[f] = true
	for _, method := range f.aws {
		leaves = append(leaves, leaf{f, method})
	}
	for _, to := range f.uses {
		for _, callee := range g.resolve(to) {
			if callee.pkg != f.pkg {
				continue
			}
			for _, l := range g.leaves(callee, seen) {
				if l.by.forwards {
					l.by = f
					delete(seen, callee) // another caller makes up calls of its own
				}
				leaves = append(leaves, l)
			}
		}
	}
	return leaves
}

func (g *graph) calls(caller, entry *function) bool {
	for _, to := range caller.uses {
		if slices.Contains(g.resolve(to), entry) {
			return true
		}
	}
	return false
}
