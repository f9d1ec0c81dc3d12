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
		if !ok || strings.HasSuffix(frame.File, "_test.go") {
			continue
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

// closures are the ends that the compiler gives to functions within functions, to
// method values and to what a go statement wraps.
var closures = regexp.MustCompile(`(\.func\d+|\.gowrap\d+|\.deferwrap\d+|\.\d+|-fm|-range\d+|\[\.\.\.\])+$`)

// Name is a function's name as sites have it: what is written within a function is
// the function's.
func Name(function string) string {
	for {
		shorter := closures.ReplaceAllString(strings.ReplaceAll(function, "[...]", ""), "")
		if shorter == function {
			return function
		}
		function = shorter
	}
}

// packageOf gives the package of a function's name.
func packageOf(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	return name[:slash+strings.IndexByte(name[slash:]+".", '.')]
}
