package tasks

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
)

// WeeklyNewsletter begins an issue every Monday at nine where its editors live. If
// that is missed (the table was away, a laptop asleep), the issue goes out late
// until Thursday morning; after that the week has none.
var WeeklyNewsletter = periodic.Job{
	Name:       "newsletter",
	Expression: "cron(0 9 ? * MON *)",
	Zone:       "Europe/Berlin",
	CatchUp:    periodic.Latest,
	Within:     3 * 24 * time.Hour,
	Request: func(monday time.Time) job.Request {
		return BeginIssue.With(Issue{Monday: monday.Format(time.DateOnly)})
	},
}

// Periodic lists Crumb's periodic jobs: the function behind their schedules and the
// infrastructure both read it.
func Periodic() []periodic.Job { return []periodic.Job{WeeklyNewsletter, TrendingEveryFiveMinutes} }
