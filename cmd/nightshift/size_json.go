package main

import (
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// sizeDetails are a queue as --json shows it.
type sizeDetails struct {
	Queue string `json:"queue"`
	// Declared is what is known; times are in seconds.
	Declared declaredDetails `json:"declared"`
	Figures  []sizing.Figure `json:"figures"`
	Spike    []sizing.Figure `json:"spike,omitempty"`
	Waits    []waitDetails   `json:"waits,omitempty"`
	Scale    []sizing.Demand `json:"scale,omitempty"`
	Bill     *sizing.Bill    `json:"bill,omitempty"`
}

type declaredDetails struct {
	PeakArrivals float64 `json:"peak_arrivals"`
	ServiceTime  float64 `json:"service_time_s"`
	LongestWait  float64 `json:"longest_wait_s"`
	Utilisation  float64 `json:"utilisation"`
	Timeout      float64 `json:"timeout_s"`
	Polled       bool    `json:"polled,omitempty"`
}

// waitDetails are one row of the table of waits; times are in seconds.
type waitDetails struct {
	Utilisation float64 `json:"utilisation"`
	Arrivals    float64 `json:"arrivals"`
	Waiting     float64 `json:"share_that_waits"`
	Mean        float64 `json:"mean_s"`
	P95         float64 `json:"p95_s"`
	P99         float64 `json:"p99_s"`
}

func declaredAs(p sizing.Plan) declaredDetails {
	q := p.Queue
	return declaredDetails{float64(q.PeakArrivals), q.ServiceTime.Seconds(), q.LongestWait.Seconds(), q.TargetUtilisation(), p.Timeout.Seconds(), q.Polled}
}

func (f *sizeFlags) showJSON(s streams, plans []sizing.Plan) error {
	for _, p := range plans {
		d := sizeDetails{Queue: p.Queue.Name, Declared: declaredAs(p), Figures: p.Explain()}
		if f.spike != nil {
			d.Spike = f.under(p).Explain()
		}
		if f.table {
			for _, w := range sizing.WaitingAt(p.Workers, p.Queue.ServiceTime, utilisations...) {
				d.Waits = append(d.Waits, waitDetails{w.Utilisation, float64(w.Arrivals), w.Probability, w.Mean.Seconds(), w.Percentile(0.95).Seconds(), w.Percentile(0.99).Seconds()})
			}
		}
		if f.scale {
			d.Scale = p.Scale(sizing.Extremes{})
		}
		if f.cost {
			bill := p.Bill(f.usage, sizing.USEast1())
			d.Bill = &bill
		}
		if err := jsonLine(s.out, d); err != nil {
			return err
		}
		if f.one() {
			return f.draw(s, p)
		}
	}
	return nil
}
