package main

import "github.com/nightshift-go/nightshift/pkg/sizing"

// comparisonDetails are a comparison as --json shows it; times are in seconds.
type comparisonDetails struct {
	Queue     string          `json:"queue"`
	Fit       sizing.Fit      `json:"fit"`
	Reasons   []string        `json:"reasons,omitempty"`
	Declared  declaredDetails `json:"declared"`
	Measured  measuredDetails `json:"measured"`
	Workers   int             `json:"workers"`
	Suggested *suggestion     `json:"suggested,omitempty"`
}

type measuredDetails struct {
	Period       float64 `json:"period_s"`
	Minutes      int     `json:"busy_minutes"`
	Jobs         float64 `json:"runs"`
	PeakArrivals float64 `json:"peak_arrivals"`
	ServiceTime  float64 `json:"service_time_s"`
	WorstWait    float64 `json:"worst_wait_s"`
	Utilisation  float64 `json:"utilisation"`
	Refused      float64 `json:"refused"`
}

// A suggestion is what to declare; Problem says why it makes no plan.
type suggestion struct {
	PeakArrivals float64 `json:"peak_arrivals"`
	ServiceTime  float64 `json:"service_time_s"`
	Workers      int     `json:"workers,omitempty"`
	Limit        int     `json:"limit,omitempty"`
	Problem      string  `json:"problem,omitempty"`
}

func (c comparison) details() comparisonDetails {
	m := c.Measured
	d := comparisonDetails{
		Queue: c.plan.Queue.Name, Fit: c.Fit, Reasons: c.Reasons, Declared: declaredAs(c.plan), Workers: c.plan.Workers,
		Measured: measuredDetails{m.Period.Seconds(), m.Minutes, m.Jobs, float64(m.PeakArrivals), m.Service.Seconds(), m.WorstWait.Seconds(), c.Utilisation, m.Refused},
	}
	if c.Suggested.Name != "" {
		d.Suggested = &suggestion{PeakArrivals: float64(c.Suggested.PeakArrivals), ServiceTime: c.Suggested.ServiceTime.Seconds()}
		if c.Err != nil {
			d.Suggested.Problem = c.Err.Error()
		} else {
			d.Suggested.Workers, d.Suggested.Limit = c.Plan.Workers, c.Plan.Limit
		}
	}
	return d
}
