package fault

import (
	"regexp"
	"runtime"
	"strings"
	"sync"
)

// toolkit is where the packages lie whose calls are named.
const toolkit = "github.com/nightshift-go/nightshift/pkg/"

// A Site is the place in pkg that a call comes from, seen from outside: a
// component (a worker, the relay) uses a package that speaks to AWS (store, queue).
type Site struct {
	// From is the component's function; empty where the program itself calls.
	From string
	// Entry is the function of the package that was called.
	Entry string
	// Leaf is its function, perhaps the same, that makes up the call.
	Leaf string
}

// String names the site: "worker.(*batch).process › store.(*Jobs).Claim › claimOnce".
func (s Site) String() string {
	text := s.Entry
	if s.Leaf != s.Entry {
		text += " › " + s.Leaf[strings.LastIndexByte(s.Leaf, '.')+1:]
	}
	if s.From != "" {
		text = s.From + " › " + text
	}
	return text
}

// A Finder finds sites.
type Finder struct {
	// Forwarders are functions that hand on a call that somebody else made up:
	// the site is their caller.
	Forwarders map[string]bool

	mu    sync.Mutex
	known map[[depth]uintptr]Site
}

// depth is how far up a call's origin is looked for.
const depth = 24

// caller finds the site of the call that is being decorated.
func (f *Finder) caller() Site {
	var stack [depth]uintptr
	runtime.Callers(4, stack[:])
	f.mu.Lock()
	defer f.mu.Unlock()
	if site, ok := f.known[stack]; ok {
		return site
	}
	site := f.locate(runtime.CallersFrames(stack[:]))
	if f.known == nil {
		f.known = map[[depth]uintptr]Site{}
	}
	f.known[stack] = site
	return site
}

func (f *Finder) locate(frames *runtime.Frames) (site Site) {
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		name, ok := strings.CutPrefix(frame.Function, toolkit)
		if !ok && site.Entry == "" {
			continue
		}
		if !ok {
			return site // the program itself called
		}
		name = Name(name)
		switch {
		case site.Entry == "":
			site.Entry, site.Leaf = name, name
		case packageOf(name) != packageOf(site.Entry):
			site.From = name
			return site
		default:
			site.Entry = name
		}
		if f.Forwarders[site.Leaf] && packageOf(name) == packageOf(site.Leaf) {
			site.Leaf = name
		}
	}
	return site
}

// What the compiler adds to a function's name: the type arguments, and the ends of
// functions within functions, of method values, of go and defer statements, and of
// the bodies of loops over functions.
var added = regexp.MustCompile(`\[\.\.\.\]|\.func\d+|\.gowrap\d+|\.deferwrap\d+|\.\d+|-fm|-range\d+`)

// Name is a function's name as sites have it: what is written within a function is
// the function's. Where that was inlined into another, the compiler puts the other's
// name before it: "run.(*run).outer.(*run).inner.func1". A method's receiver is
// told if it is a pointer.
func Name(function string) string {
	name := added.ReplaceAllString(function, "")
	pkg := packageOf(name)
	own := name[strings.LastIndexByte(name, '.'):]
	if receiver := strings.LastIndex(name, ".(*"); receiver >= 0 && strings.LastIndexByte(name, ')')+len(own) == len(name)-1 {
		own = name[receiver:]
	}
	return pkg + own
}

// packageOf gives the package of a function's name.
func packageOf(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	return name[:slash+strings.IndexByte(name[slash:]+".", '.')]
}
