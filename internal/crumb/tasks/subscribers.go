package tasks

import (
	"slices"
	"strings"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Hearing is what a subscriber of the topic hears: a task for each event, all of
// one queue, which get the same handler.
type Hearing []job.Subscription[RecipeChange]

// hearing makes the tasks by which a queue hears of events: of the queue "search" and
// the event "recipe.edited" comes the task "search.edited".
func hearing(policy job.Policy, events ...job.Event[RecipeChange]) Hearing {
	all := make(Hearing, len(events))
	for i, event := range events {
		_, happened, _ := strings.Cut(event.Definition().Name, ".")
		all[i] = job.On(event, job.Define[RecipeChange](policy.Queue.Name+"."+happened, policy))
	}
	return all
}

// Tasks lists them.
func (h Hearing) Tasks() []job.Defined {
	all := make([]job.Defined, len(h))
	for i, s := range h {
		all[i] = s.Task()
	}
	return all
}

// Events lists the names of what is heard, for the subscription's filter.
func (h Hearing) Events() []string {
	names := make([]string, len(h))
	for i, s := range h {
		event, _ := s.Subscribed()
		names[i] = event.Name
	}
	return names
}

// hearings lists the tasks of all subscribers of the topic "recipes". Whoever is
// added here is known to the stack, and to no publisher.
func hearings() []job.Defined {
	return slices.Concat(SearchHears.Tasks(), FeedsHear.Tasks(), NoticesHear.Tasks(), ModerationHears.Tasks())
}
