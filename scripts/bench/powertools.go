package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// How much of the comparison there is. A round hands each program its batches in
// turn, so that a machine whose speed drifts is fair to all.
const (
	besideRounds  = 9
	besideBatches = 40
	besideWarmup  = 150 // batches: until V8 has compiled what is hot
	besideStarts  = 15
)

// powertools compares batches of ten with idempotency: the worker, a plain handler
// with idempotency.Once, and Powertools for AWS Lambda (TypeScript), which is
// fetched for it.
func powertools(ctx context.Context, out io.Writer) (err error) {
	fmt.Fprintf(out, "\n## Batches of ten with idempotency, beside Powertools for AWS Lambda (TypeScript)\n\n")
	bundle, versions, err := fetchPowertools(ctx)
	if err != nil {
		fmt.Fprintf(out, "SKIPPED: %v\n", err)
		return nil
	}
	dir, err := os.MkdirTemp("", "nightshift-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, err := newBeside(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	for _, name := range []string{"noop", "once"} {
		program := filepath.Join(dir, name)
		if err := build(ctx, "./scripts/bench/functions/"+name, program); err != nil {
			return err
		}
		b.contenders = append(b.contenders, &contender{command: []string{program}})
	}
	b.contenders = append(b.contenders, &contender{command: []string{"node", bundle}})
	for i, name := range []string{"a worker", "a plain handler with `idempotency.Once`", "Powertools"} {
		b.contenders[i].name = name
	}
	if err := b.run(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s. Records of a batch side by side, each with an effect that does nothing; the same local\nendpoint for all, over the Lambda runtime API.\n\n", versions)
	b.print(out)
	return nil
}

func (b *beside) run(ctx context.Context) error {
	for range besideStarts {
		for _, c := range b.contenders {
			if err := b.start(ctx, c); err != nil {
				return fmt.Errorf("%s: starting: %w", c.name, err)
			}
		}
	}
	for _, c := range b.contenders {
		if _, _, err := b.batches(ctx, c, besideWarmup); err != nil {
			return fmt.Errorf("%s: warming up: %w", c.name, err)
		}
	}
	for range besideRounds {
		for _, c := range b.contenders {
			first, events, err := b.batches(ctx, c, besideBatches)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			again, err := b.deliver(ctx, c, events)
			if err != nil {
				return fmt.Errorf("%s: duplicates: %w", c.name, err)
			}
			c.first, c.again = append(c.first, first), append(c.again, again)
		}
	}
	return nil
}

// print writes the tables. Ratios are of one round each.
func (b *beside) print(out io.Writer) {
	fmt.Fprintf(out, "| | µs a record, median | min–max | ratio to Powertools (median of %d rounds) | min–max | processor, µs a record | ratio | requests a record |\n|---|---|---|---|---|---|---|---|\n", besideRounds)
	peer := b.contenders[len(b.contenders)-1]
	for _, part := range []struct {
		name string
		of   func(*contender) []round
	}{
		{"", func(c *contender) []round { return c.first }},
		{", duplicates", func(c *contender) []round { return c.again }},
	} {
		for _, c := range b.contenders {
			wall, processor := column(part.of(c), wallOf), column(part.of(c), processorOf)
			ratios := ratiosOf(wall, column(part.of(peer), wallOf))
			fmt.Fprintf(out, "| %s%s | %.0f | %.0f–%.0f | **%.2f** | %.2f–%.2f | %s | **%s** | %.2f |\n", c.name, part.name,
				median(wall), slices.Min(wall), slices.Max(wall), median(ratios), slices.Min(ratios), slices.Max(ratios),
				told("%.0f", median(processor)), told("%.2f", median(ratiosOf(processor, column(part.of(peer), processorOf)))),
				median(column(part.of(c), requestsOf)))
		}
	}
	fmt.Fprintf(out, "\n| process start to first answer | median, ms | min–max | ratio to Powertools (median of %d) | min–max |\n|---|---|---|---|---|\n", besideStarts)
	for _, c := range b.contenders {
		ratios := ratiosOf(c.starts, peer.starts)
		fmt.Fprintf(out, "| %s | %.0f | %.0f–%.0f | **%.2f** | %.2f–%.2f |\n", c.name,
			median(c.starts), slices.Min(c.starts), slices.Max(c.starts), median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
}

// told writes a number, or a dash where the system did not tell it.
func told(format string, value float64) string {
	if value == 0 || math.IsNaN(value) {
		return "–"
	}
	return fmt.Sprintf(format, value)
}

// A round is what one contender took for a record.
type round struct{ wall, processor, requests float64 }

func wallOf(r round) float64      { return r.wall }
func processorOf(r round) float64 { return r.processor }
func requestsOf(r round) float64  { return r.requests }

func column(rounds []round, of func(round) float64) []float64 {
	values := make([]float64, len(rounds))
	for i, r := range rounds {
		values[i] = of(r)
	}
	return values
}

func ratiosOf(values, to []float64) []float64 {
	ratios := make([]float64, len(values))
	for i := range values {
		ratios[i] = values[i] / to[i]
	}
	return ratios
}
