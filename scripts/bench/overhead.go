package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
)

// rounds is how often each benchmark is run: in turn, so that a machine whose
// speed drifts is fair to both.
const overheadRounds = 6

var benchLine = regexp.MustCompile(`(?m)^Benchmark(Invoke|Poll|Bare)/batch=(\d+)\S*\s+\d+\s+([\d.]+) ns/op`)

// overhead compares the worker's own time for a job, in Lambda and where it polls
// with a heartbeat for each job, with a handler that does nothing but parse the
// same batch.
func overhead(ctx context.Context, out io.Writer) error {
	times := map[string]map[string][]float64{}
	for range overheadRounds {
		text, err := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark(Invoke|Poll|Bare)$", "-benchtime", "300ms", "./pkg/worker").CombinedOutput()
		if err != nil {
			return fmt.Errorf("go test: %w\n%s", err, text)
		}
		for _, m := range benchLine.FindAllStringSubmatch(string(text), -1) {
			ns, err := strconv.ParseFloat(m[3], 64)
			if err != nil {
				return err
			}
			if times[m[2]] == nil {
				times[m[2]] = map[string][]float64{}
			}
			times[m[2]][m[1]] = append(times[m[2]][m[1]], ns)
		}
	}
	fmt.Fprintf(out, "\n## Framework time for each job, AWS calls excluded, logging off\n\n")
	fmt.Fprintf(out, "| batch | | µs a job | bare handler, µs a job | ratio (median of %d rounds) | min–max |\n|---|---|---|---|---|---|\n", overheadRounds)
	for _, batch := range []string{"1", "10"} {
		for _, way := range []struct{ bench, name string }{{"Invoke", "in Lambda"}, {"Poll", "polls, with lease and heartbeat"}} {
			if err := overheadRow(out, batch, way.name, times[batch][way.bench], times[batch]["Bare"]); err != nil {
				return err
			}
		}
	}
	return nil
}

// overheadRow prints a way's times for a batch, in ns, beside the bare handler's.
func overheadRow(out io.Writer, batch, name string, times, bare []float64) error {
	if len(times) != overheadRounds || len(bare) != overheadRounds {
		return fmt.Errorf("batch %s: %d and %d results of %d rounds", batch, len(times), len(bare), overheadRounds)
	}
	size, err := strconv.ParseFloat(batch, 64)
	if err != nil {
		return err
	}
	ratios := ratiosOf(times, bare)
	_, err = fmt.Fprintf(out, "| %s | %s | %.1f | %.1f | **%.2f** | %.2f–%.2f |\n", batch, name,
		median(times)/size/1000, median(bare)/size/1000, median(ratios), slices.Min(ratios), slices.Max(ratios))
	return err
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// percentile gives the value below which a share (0 to 1) of the values lies.
func percentile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}
