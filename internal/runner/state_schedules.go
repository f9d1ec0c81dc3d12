package runner

import (
	"strings"
	"time"
)

// scheduleState is a schedule of the template, or one that a program made by the API.
type scheduleState struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
	// Zone is "" for UTC.
	Zone     string `json:"zone,omitempty"`
	Function string `json:"function"`
	Enabled  bool   `json:"enabled"`
	// Next is missing where none will come.
	Next time.Time `json:"next_at,omitzero"`
}

// upcoming gives all schedules and when they fire next.
func (s *Stack) upcoming() ([]scheduleState, error) {
	var all []scheduleState
	for _, declared := range s.schedules {
		one := scheduleState{Name: declared.Name, Expression: declared.Expression, Zone: declared.Timezone, Function: s.called(declared.Function)}
		if declared.run != nil {
			one.Enabled = true
			one.Next, _ = declared.run.Next()
		}
		all = append(all, one)
	}
	if s.endpoint == nil {
		return all, nil
	}
	made, err := s.endpoint.Schedules()
	if err != nil {
		return nil, err
	}
	for _, m := range made {
		all = append(all, scheduleState{Name: m.Name, Expression: m.Expression, Zone: m.Zone, Function: s.called(m.TargetARN), Enabled: m.Enabled, Next: m.Next})
	}
	return all, nil
}

// called gives what people call a function or queue, by its ARN.
func (s *Stack) called(arn string) string {
	if f := s.function(arn); f != nil {
		return f.Folder
	}
	return arn[strings.LastIndex(arn, ":")+1:]
}
