package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
)

// A seconds is a time, as a number of seconds.
type seconds time.Duration

func (s seconds) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%.9g", time.Duration(s).Seconds()), nil
}

// totals are a run's totals as JSON has them. Times are in seconds.
type totals struct {
	Arrived     int            `json:"jobs_of_clients"`
	Asked       int            `json:"requests"`
	GaveUp      int            `json:"given_up"`
	Away        int            `json:"away_at_end"`
	Accepted    int            `json:"accepted"`
	Replaced    int            `json:"replaced"`
	Rests       int            `json:"rests_of_degraded"`
	Done        int            `json:"done"`
	Dead        int            `json:"dead"`
	Unfinished  int            `json:"unfinished"`
	Degraded    int            `json:"degraded"`
	Spilled     int            `json:"spilled"`
	Refused     int            `json:"refused"`
	Reasons     map[string]int `json:"refused_because"`
	Attempts    int            `json:"attempts"`
	Failed      int            `json:"failed_attempts"`
	Duplicates  int            `json:"needless_messages"`
	Early       int            `json:"early_messages"`
	Repeated    int            `json:"runs_in_vain"`
	InVain      float64        `json:"worker_seconds_in_vain"`
	Crashes     int            `json:"processes_died"`
	ColdStarts  int            `json:"cold_starts"`
	Busy        float64        `json:"worker_seconds_busy"`
	Workers     float64        `json:"worker_seconds"`
	Idle        float64        `json:"worker_seconds_idle_beside_work"`
	PeakDepth   int            `json:"most_waiting"`
	PeakAt      seconds        `json:"most_waiting_at"`
	Cleared     seconds        `json:"cleared_at"`
	PeakAge     seconds        `json:"oldest_waited"`
	PeakSpilled int            `json:"most_spilled"`
	Changes     int            `json:"worker_changes"`
	Turns       int            `json:"worker_turns"`
	Wait        spread         `json:"wait"`
	Ready       spread         `json:"accepted_to_done"`
}

type spread struct {
	Mean seconds `json:"mean"`
	P50  seconds `json:"p50"`
	P95  seconds `json:"p95"`
	P99  seconds `json:"p99"`
	Most seconds `json:"most"`
}

// point is an interval as JSON has it.
type point struct {
	At         seconds `json:"until"`
	For        seconds `json:"lasts"`
	Arrived    int     `json:"jobs_of_clients"`
	Asked      int     `json:"requests"`
	Accepted   int     `json:"accepted"`
	Refused    int     `json:"refused"`
	Attempts   int     `json:"attempts"`
	Failed     int     `json:"failed_attempts"`
	Done       int     `json:"done"`
	Depth      int     `json:"waiting"`
	Delayed    int     `json:"to_be_retried"`
	Spilled    int     `json:"spilled"`
	Away       int     `json:"away"`
	InProgress float64 `json:"in_progress"`
	Workers    int     `json:"workers"`
	Age        seconds `json:"age"`
}

// run is a run as JSON has it.
type run struct {
	Name    string  `json:"name"`
	Queue   string  `json:"queue"`
	Workers int     `json:"workers"`
	Drain   float64 `json:"drain_rate"`
	// Limit is absent where the queue had none.
	Limit  *int    `json:"limit,omitempty"`
	Lasted seconds `json:"simulated"`
	Totals totals  `json:"totals"`
	Points []point `json:"course"`
}

// JSON writes each run as an object on a line, with times in seconds from the
// beginning of the run.
func JSON(w io.Writer, runs []*simulation.Result) error {
	encoder := json.NewEncoder(w)
	for _, r := range runs {
		out := run{
			Name: r.Name, Queue: r.Plan.Queue.Name, Workers: r.Plan.Workers, Drain: float64(r.Plan.DrainRate),
			Lasted: seconds(r.Lasted), Totals: totalsOf(r.Totals),
		}
		if r.Bounded {
			out.Limit = &r.Plan.Limit
		}
		for _, p := range r.Points {
			out.Points = append(out.Points, pointOf(p))
		}
		if err := encoder.Encode(out); err != nil {
			return fmt.Errorf("report: writing %s: %w", r.Name, err)
		}
	}
	return nil
}

func totalsOf(t simulation.Totals) totals {
	return totals{
		Arrived: t.Arrived, Asked: t.Asked, GaveUp: t.GaveUp, Away: t.Away, Accepted: t.Accepted, Replaced: t.Replaced, Rests: t.Rests,
		Done: t.Done, Dead: t.Dead, Unfinished: t.Unfinished, Degraded: t.Degraded, Spilled: t.Spilled, Refused: t.Refused,
		Reasons: t.Reasons, Attempts: t.Attempts, Failed: t.Failed, Duplicates: t.Duplicates, Early: t.Early, Repeated: t.Repeated,
		InVain: t.RepeatedTime, Crashes: t.Crashes, ColdStarts: t.ColdStarts, Busy: t.BusyTime, Workers: t.WorkerTime, Idle: t.IdleTime,
		PeakDepth: t.PeakDepth, PeakAt: seconds(t.PeakAt), Cleared: seconds(t.Cleared), PeakAge: seconds(t.PeakAge),
		PeakSpilled: t.PeakSpilled, Changes: t.Changes, Turns: t.Turns, Wait: spreadOf(t.Wait), Ready: spreadOf(t.Ready),
	}
}

func spreadOf(s simulation.Spread) spread {
	return spread{seconds(s.Mean), seconds(s.P50), seconds(s.P95), seconds(s.P99), seconds(s.Most)}
}

func pointOf(p simulation.Point) point {
	return point{
		At: seconds(p.At), For: seconds(p.For), Arrived: p.Arrived, Asked: p.Asked, Accepted: p.Accepted, Refused: p.Refused,
		Attempts: p.Attempts, Failed: p.Failed, Done: p.Done, Depth: p.Depth, Delayed: p.Delayed, Spilled: p.Spilled, Away: p.Away,
		InProgress: p.InProgress, Workers: p.Workers, Age: seconds(p.Age),
	}
}
