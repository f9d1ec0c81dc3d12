package producer

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
)

// A Validator is an argument type that checks itself. Its method is called
// before a job is made; an error, wrapped in ErrArguments, refuses the job. Over
// HTTP the caller is shown the error's text.
type Validator interface{ Validate() error }

// Arguments checks a request's arguments against its task and encodes them: the
// same arguments always give the same bytes. A json.RawMessage was checked and
// encoded before, by this method, and only its size is looked at.
func (p *Producer) Arguments(request job.Request) (json.RawMessage, error) {
	name := request.Definition.Name
	d, known := p.tasks[name]
	if !known {
		return nil, fmt.Errorf("%w: %.80q: pass it to producer.New", ErrUnknownTask, name)
	}
	args, raw := request.Arguments.(json.RawMessage)
	if !raw {
		if err := check(d, request.Arguments); err != nil {
			return nil, err
		}
		encoded, err := payload.Encode(request.Arguments)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrArguments, name, err)
		}
		args = encoded
	}
	if len(args) > d.Policy.MaxArguments {
		return nil, fmt.Errorf("%w: %s takes %d bytes and was given %d: put large input into object storage and pass its key, or raise the policy's MaxArguments",
			ErrTooLarge, name, d.Policy.MaxArguments, len(args))
	}
	return args, nil
}

// check finds out whether the value is one of the task's, and a good one.
func check(d job.Definition, value any) error {
	if t := reflect.TypeOf(value); t != d.Arguments {
		return fmt.Errorf("%w: %s takes a %v and was given a %v", ErrArguments, d.Name, d.Arguments, t)
	}
	pointer := reflect.New(d.Arguments) // so that a method of *T is found as well
	pointer.Elem().Set(reflect.ValueOf(value))
	if v, ok := pointer.Interface().(Validator); ok {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrArguments, d.Name, err)
		}
	}
	return nil
}
