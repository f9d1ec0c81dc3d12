package scheduler

import (
	"fmt"
	"time"
)

// An Upcoming is a schedule and when it fires next.
type Upcoming struct {
	Name, Expression, Zone, TargetARN string
	Enabled                           bool
	// Next is zero where the schedule does not fire, or not any more.
	Next time.Time
}

// Upcoming gives all schedules, by group and name.
func (db *DB) Upcoming() ([]Upcoming, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	found, err := db.schedules()
	if err != nil {
		return nil, fmt.Errorf("scheduler: reading schedules: %w", err)
	}
	var all []Upcoming
	for _, s := range found {
		one := Upcoming{Name: s.Name, Expression: s.ScheduleExpression, Zone: s.ScheduleExpressionTimezone, TargetARN: s.Target.Arn, Enabled: s.State == "ENABLED"}
		if f, fires := db.running[keyOf(s.GroupName, s.Name)]; fires {
			one.Next, _ = f.Next()
		}
		all = append(all, one)
	}
	return all, nil
}
