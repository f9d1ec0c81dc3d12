package job

import (
	"errors"
	"fmt"
	"reflect"
)

// A Definition is what a task is, without its types: enough for the
// infrastructure, the HTTP API and the producer.
type Definition struct {
	// Name identifies the task for ever: rows and messages carry it.
	Name string
	// Policy is as defined, defaults filled in.
	Policy Policy
	// Arguments is the type of the arguments.
	Arguments reflect.Type
	// Result is the type of the result, or nil for a task without one.
	Result reflect.Type
}

// Definition gives d itself, so that a list of definitions serves wherever tasks
// do.
func (d Definition) Definition() Definition { return d }

// Validate reports every mistake in the definition.
func (d Definition) Validate() error {
	var problems []error
	if !isTaskName(d.Name) {
		problems = append(problems, errors.New("the name must be 1 to 80 lower case letters, digits, dashes and underscores, in words joined by dots (photo.resize)"))
	}
	if d.Arguments == nil || d.Arguments.Kind() != reflect.Struct {
		problems = append(problems, fmt.Errorf("the arguments are a %v: use a struct, so that fields can be added later", d.Arguments))
	}
	return about(fmt.Sprintf("job: task %q", d.Name), append(problems, d.Policy.mistakes()...))
}

// NoResult is the result type of tasks defined with Define.
type NoResult struct{}

// A Task is a named kind of work whose arguments are an A.
type Task[A any] struct{ definition Definition }

// Define names a task without a result.
func Define[A any](name string, policy Policy) Task[A] {
	return Task[A]{definition: define[A](name, policy)}
}

// Definition gives what the task is.
func (t Task[A]) Definition() Definition { return t.definition }

// With makes a request to run the task with these arguments.
func (t Task[A]) With(arguments A) Request {
	return Request{Definition: t.definition, Arguments: arguments}
}

// A ResultTask is a named kind of work whose arguments are an A and whose
// result, kept with the job, is an R.
type ResultTask[A, R any] struct{ definition Definition }

// DefineResult names a task with a result.
func DefineResult[A, R any](name string, policy Policy) ResultTask[A, R] {
	d := define[A](name, policy)
	d.Result = reflect.TypeFor[R]()
	return ResultTask[A, R]{definition: d}
}

// Definition gives what the task is.
func (t ResultTask[A, R]) Definition() Definition { return t.definition }

// With makes a request to run the task with these arguments.
func (t ResultTask[A, R]) With(arguments A) Request {
	return Request{Definition: t.definition, Arguments: arguments}
}

func define[A any](name string, policy Policy) Definition {
	return Definition{Name: name, Policy: policy.WithDefaults(), Arguments: reflect.TypeFor[A]()}
}

// A Defined is anything that a task's definition can be had from.
type Defined interface{ Definition() Definition }

// A Request asks for one job. The producer turns it into a row.
type Request struct {
	// Definition is the task's.
	Definition Definition
	// Arguments is a value of the task's argument type, or a json.RawMessage
	// that was checked against it.
	Arguments any
}
