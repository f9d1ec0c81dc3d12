package worker

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Step leads from one version of a task's arguments to the next. Upgrade makes it,
// and Handle and HandleResult take it.
type Step struct {
	from         int
	takes, gives reflect.Type
	// decode reads arguments of the version from; upgrade makes those of the
	// next. nil where there is no function.
	decode  func(args []byte) (any, error)
	upgrade func(old any) (any, error)
}

// Upgrade makes arguments of the version from+1 of those of the version from, for
// jobs that were enqueued before the arguments changed (job.Policy.Version). Old is
// the type of that version, kept for this purpose; it is decoded strictly. The
// steps of a handler lead from the oldest version that is still about, one by one,
// to the task's own type.
//
// f is called in each attempt of such a job, may be called by many goroutines, and
// should do nothing but convert. An error of its makes the job dead, as arguments do
// that can't be decoded: no further attempt would help.
func Upgrade[Old, New any](from int, f func(old Old) (New, error)) Step {
	s := Step{from: from, takes: reflect.TypeFor[Old](), gives: reflect.TypeFor[New]()}
	if f == nil {
		return s
	}
	s.decode = func(args []byte) (any, error) { return payload.Decode[Old](args) }
	s.upgrade = func(old any) (any, error) { return f(old.(Old)) } // New has checked the types
	return s
}

// A ladder is the steps to the current version of a task's arguments, by the
// version that they lead from.
type ladder map[int]Step

// climb makes a ladder of the steps, or reports what keeps them from being one.
func climb(task job.Definition, steps []Step) (ladder, error) {
	made, current := ladder{}, task.Policy.Version
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("worker: task %q: "+format, append([]any{task.Name}, args...)...))
	}
	oldest := current
	for _, s := range steps {
		_, twice := made[s.from]
		switch {
		case s.upgrade == nil:
			bad("the upgrade from version %d is nil", s.from)
		case s.from < 1 || s.from >= current:
			bad("there is an upgrade from version %d of the arguments, and the current one is %d (Policy.Version)", s.from, current)
		case twice:
			bad("there are two upgrades from version %d of the arguments", s.from)
		default:
			oldest = min(oldest, s.from)
		}
		made[s.from] = s
	}
	for v := min(oldest, current-1); v >= 1 && v < current; v++ {
		s, known := made[v]
		next, wanted := made[v+1], task.Arguments
		if v+1 < current {
			wanted = next.takes
		}
		switch {
		case !known:
			bad("version %d of the arguments is the current one, and there is no upgrade from version %d", current, v)
		case wanted != nil && s.gives != wanted:
			bad("the upgrade from version %d gives %v, and version %d is %v", v, s.gives, v+1, wanted)
		}
	}
	return made, errors.Join(problems...)
}

// arguments decodes a row's arguments, of whatever version they are.
func arguments[A any](steps ladder, current int, rec *store.Record) (args A, err error) {
	version := max(rec.Version, 1)
	if version == current {
		return payload.Decode[A](rec.Args)
	}
	first, known := steps[version]
	if !known {
		return args, fmt.Errorf("they are of version %d, and no upgrade leads from there", version)
	}
	value, err := first.decode(rec.Args)
	for ; err == nil && version < current; version++ {
		value, err = steps[version].upgrade(value)
	}
	if err != nil {
		return args, fmt.Errorf("upgrading them from version %d: %w", version, err)
	}
	return value.(A), nil
}
