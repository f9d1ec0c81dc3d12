// Package schedule reads the schedule expressions of Amazon EventBridge Scheduler
// and tells when they come round.
//
//	every, err := schedule.Parse("cron(0 9 ? * MON *)", "Europe/Berlin")
//	next, ok := every.Next(time.Now())
//
// There are three kinds:
//
//	rate(5 minutes)               a number of minutes, hours or days
//	at(2026-12-24T18:00:00)       once
//	cron(0 9 ? * MON *)           minute, hour, day of month, month, day of week, year
//
// What AWS's documentation does not give a meaning to is refused with an
// Error that says what is wrong and where; nothing is guessed. What the
// documentation leaves open and is decided here:
//
//   - The word before the parenthesis is in lower case, and nothing stands before
//     it, after the last parenthesis or at the edges inside. Fields are separated
//     by one or more blanks.
//   - Scheduler takes rate(1 minute) and, as its guide's rate(1 days) shows, the
//     plural of 1; a singular of more than 1 is refused. ParseRule has the
//     stricter rule of EventBridge's older scheduled rules.
//   - Names of months and days are in any case. Numbers may begin with zeros.
//   - L, W and # stand alone in their field. AWS says so of #, and no list with
//     one of the others is documented.
//   - W never leaves the month: 1W is Monday the 3rd where the 1st is a Saturday.
//     A month without a 31st has no 31W.
//   - L as day of the week is the week's last, Saturday; 6L and FRIL are the
//     month's last Friday. L-3 is the third day before the month's last, LW its last
//     weekday; AWS names L and W only, and these are the forms of Quartz.
//   - A range of hours may run past midnight, as in AWS's own example 20-2; it
//     means those hours of each day. Other ranges run forward: FRI-MON is
//     refused, and its days can be listed.
//   - The day of the week takes steps (MON-FRI/2): the guides of Lambda and of
//     CloudWatch Events list the slash for it, the one of Scheduler does not.
//
// # Time zones
//
// Wall time is that of an IANA time zone, UTC if none is named. When clocks go
// forward, a time of a cron expression that does not exist is skipped. When they
// go back, a time that comes twice runs once, at its first occurrence; so an
// expression that runs every five minutes pauses for the repeated hour. Rates
// count hours of the clock: a day is 24 of them.
//
// Time zones come with the package (time/tzdata, half a megabyte): a function
// on AWS may find none installed.
//
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
package schedule
