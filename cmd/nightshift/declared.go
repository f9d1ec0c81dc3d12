package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// declared are the tasks of this module's application, for commands that work with
// declarations and need no stack. An application of your own names its tasks here.
func declared() []job.Defined { return tasks.Defined() }
