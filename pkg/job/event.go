package job

import (
	"errors"
	"fmt"
	"reflect"
)

// A Topic carries events to the queues of whoever subscribes: one queue for each
// subscriber, so that none waits for another, and a publisher knows none of them.
type Topic struct {
	// Name is lower case letters, digits and dashes, at most 40: "recipes".
	Name string
	// FIFO keeps the events of one key in order, all the way to subscribers
	// whose queues are FIFO as well.
	FIFO bool
}

// Validate reports every setting that makes no sense.
func (t Topic) Validate() error {
	if !isQueueName(t.Name) {
		return fmt.Errorf("job: topic %q: the name must be 1 to 40 lower case letters, digits and dashes, a letter first", t.Name)
	}
	return nil
}

// An EventDefinition is what an event is, without its type.
type EventDefinition struct {
	// Name identifies the event for ever: rows and messages carry it.
	Name  string
	Topic Topic
	// Version numbers the shape of the data, from 1.
	Version int
	// Data is the type of the event's data.
	Data reflect.Type
}

// Validate reports every mistake in the definition.
func (d EventDefinition) Validate() error {
	problems := []error{d.Topic.Validate()}
	if !isTaskName(d.Name) {
		problems = append(problems, errors.New("the name must be 1 to 80 lower case letters, digits, dashes and underscores, in words joined by dots (recipe.published)"))
	}
	if d.Version < 1 {
		problems = append(problems, fmt.Errorf("the version is %d: versions of the data count from 1", d.Version))
	}
	if d.Data == nil || d.Data.Kind() != reflect.Struct {
		problems = append(problems, fmt.Errorf("the data are a %v: use a struct, so that fields can be added later", d.Data))
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("job: event %q: %w", d.Name, err)
	}
	return nil
}

// An Event is a named kind of thing that happens, whose data are an E.
type Event[E any] struct{ definition EventDefinition }

// DefineEvent names an event.
func DefineEvent[E any](name string, topic Topic) Event[E] {
	return Event[E]{EventDefinition{Name: name, Topic: topic, Version: 1, Data: reflect.TypeFor[E]()}}
}

// Versioned gives the event with another version of its data: raised with a change
// that earlier data would not decode into. Tasks that subscribe have the same
// Version in their policy, and steps from the versions before (worker.Upgrade).
func (e Event[E]) Versioned(version int) Event[E] {
	e.definition.Version = version
	return e
}

// Definition gives what the event is.
func (e Event[E]) Definition() EventDefinition { return e.definition }

// With says that it happened. key names what it happened to ("recipe/17"): on a FIFO
// topic, events of one key are in order; elsewhere it may be empty.
func (e Event[E]) With(key string, data E) Occurrence {
	return Occurrence{Definition: e.definition, Key: key, Data: data}
}

// An Occurrence is one event that is to be published.
type Occurrence struct {
	Definition EventDefinition
	Key        string
	Data       any
	// Trace is the trace header of the request that it happened in; the jobs of
	// the event's subscribers carry it on. Empty for none.
	Trace string
}

// Traced gives the occurrence with the trace header of the request that it happened
// in.
func (o Occurrence) Traced(header string) Occurrence {
	o.Trace = header
	return o
}

// A Subscription lets a task be run for each event of a kind: the event's data are
// the task's arguments.
type Subscription[E any] struct {
	event Event[E]
	task  Task[E]
}

// On subscribes a task to an event. The queue of the task takes the topic's messages:
// the constructs wire it, the worker's handler is made with worker.On.
func On[E any](event Event[E], task Task[E]) Subscription[E] { return Subscription[E]{event, task} }

// Task gives the task.
func (s Subscription[E]) Task() Task[E] { return s.task }

// Subscribed gives both definitions.
func (s Subscription[E]) Subscribed() (EventDefinition, Definition) {
	return s.event.definition, s.task.definition
}

// A Subscriber is any Subscription.
type Subscriber interface {
	Subscribed() (EventDefinition, Definition)
}

// ValidateSubscriber reports every mistake in a subscription.
func ValidateSubscriber(s Subscriber) error {
	event, task := s.Subscribed()
	problems := []error{event.Validate(), task.Validate()}
	if task.Policy.Queue.FIFO && !event.Topic.FIFO {
		problems = append(problems, fmt.Errorf("job: task %q of the FIFO queue %q can't subscribe to %q: the topic %q is not FIFO, and SNS refuses that",
			task.Name, task.Policy.Queue.Name, event.Name, event.Topic.Name))
	}
	if task.Policy.Version != event.Version {
		problems = append(problems, fmt.Errorf("job: task %q takes version %d of its arguments, and the event %q that it subscribes to has version %d of its data",
			task.Name, task.Policy.Version, event.Name, event.Version))
	}
	return errors.Join(problems...)
}
