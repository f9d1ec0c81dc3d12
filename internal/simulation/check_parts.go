package simulation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// A SettingError is what is wrong with one setting of a Config.
type SettingError struct {
	// Setting is its name as a scenario's file has it: "faults.attempts".
	Setting string
	// Cause says what is wrong.
	Cause error
}

func (e *SettingError) Error() string { return "simulation: " + e.Setting + ": " + e.Cause.Error() }

// Unwrap gives the cause.
func (e *SettingError) Unwrap() error { return e.Cause }

func wrong(setting, format string, args ...any) error {
	return &SettingError{setting, fmt.Errorf(format, args...)}
}

// happening reports outages that begin when the run is over.
func (c Config) happening() error {
	var problems []error
	for i, o := range c.Faults.Outages {
		switch {
		case c.Until > 0 && o.From >= c.Until:
			problems = append(problems, wrong("faults.outages", "number %d is from %v on, and the run ends at %v", i+1, o.From, c.Until))
		case c.Until == 0 && o.From >= c.For:
			problems = append(problems, wrong("faults.outages", "number %d is from %v on, and clients have work for %v: say until when the run is to last", i+1, o.From, c.For))
		}
	}
	return errors.Join(problems...)
}

func (s Service) validate() error {
	var problems []error
	switch s.Distribution {
	case Constant, Exponential, LogNormal:
	case Empirical:
		if len(s.Values) == 0 || slices.Min(s.Values) < 0 {
			problems = append(problems, wrong("service.values", "give some, none of them negative"))
		}
	default:
		problems = append(problems, wrong("service.distribution", "it is %q: use constant, exponential, lognormal or empirical", s.Distribution))
	}
	return errors.Join(append(problems, positive("service.mean", s.Mean), amount("service.spread", s.Spread), share("service.degraded", s.Degraded))...)
}

func (f Faults) validate() error {
	problems := []error{
		share("faults.attempts", f.Attempts), share("faults.poison", f.Poison), share("faults.crashes", f.Crashes),
		positive("faults.fail_after", f.FailAfter), amount("faults.dependency", float64(f.Dependency)),
	}
	for i, o := range f.Outages {
		bad := func(format string, args ...any) {
			problems = append(problems, wrong("faults.outages", "number %d "+format, append([]any{i + 1}, args...)...))
		}
		if o.From < 0 || o.For <= 0 || o.From > Longest || o.For > Longest {
			bad("is from %v for %v", o.From, o.For)
		}
		switch {
		case o.Kind == Slow && !(o.Factor > 0 && o.Factor < 1e6):
			bad("has the factor %v: say how much longer handlers take", o.Factor)
		case o.Kind != Slow && o.Kind != Stopped && o.Kind != Failing:
			bad("is %q: use stopped, failing or slow", o.Kind)
		}
	}
	return errors.Join(problems...)
}

func (c Clients) validate() error {
	problems := []error{c.Retry.Validate(), positive("clients.every", c.Every)}
	switch c.Behaviour {
	case Obey, Ignore, GiveUp:
	default:
		problems = append(problems, wrong("clients.behaviour", "it is %q: use obey, ignore or leave", c.Behaviour))
	}
	return errors.Join(problems...)
}

func (d Delivery) validate() error {
	return errors.Join(share("delivery.duplicates", d.Duplicates), positive("delivery.visibility", d.Visibility), amount("delivery.relay_rate", float64(d.RelayRate)))
}

func (t Table) validate() error {
	problems := []error{amount("table.writes", float64(t.Writes))}
	if t.PerJob.Enqueue < 0 || t.PerJob.Claim < 0 || t.PerJob.Complete < 0 {
		problems = append(problems, wrong("table.per_job", "a negative number of writes: %+v", t.PerJob))
	}
	return errors.Join(problems...)
}

func share(name string, of float64) error {
	if of >= 0 && of <= 1 {
		return nil
	}
	return wrong(name, "it is %v: it is a share, from 0 to 1", of)
}

func positive(name string, d time.Duration) error {
	if d >= 0 {
		return nil
	}
	return wrong(name, "it is %v: it can't be negative", d)
}

func amount(name string, of float64) error {
	if of >= 0 && !math.IsInf(of, 0) {
		return nil
	}
	return wrong(name, "it is %v: it can't be negative or infinite", of)
}
