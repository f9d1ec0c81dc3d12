package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// A setup says how a run is to be.
type setup struct {
	seed  uint64
	jobs  int
	lasts time.Duration // of the storm
	// settle bounds the time that the stack may take to come to rest.
	settle time.Duration
	config config
}

// run lets a storm rage over a stack at work, lets it settle and judges what is
// left.
func run(ctx context.Context, s setup, say func(format string, args ...any)) (o *outcome, err error) {
	o = &outcome{seed: s.seed, jobs: s.jobs, plan: newPlan(s.seed, s.jobs)}
	storm := newStorm(s.seed, s.lasts)
	k, err := startStack(ctx, s.config, storm)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	recorder, stop, err := watch(ctx, k, o.plan)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	sweeping, stopSweeping := context.WithCancel(ctx)
	var sweeps sync.WaitGroup
	sweeps.Go(func() { keepSweeping(sweeping, k) })
	defer sweeps.Wait()
	defer stopSweeping()

	begun := time.Now()
	if err := rage(ctx, k, o.plan, s); err != nil {
		return nil, err
	}
	o.stormed = time.Since(begun)
	say("the storm is over after %s; waiting for rest", o.stormed.Round(time.Second))
	calm := time.Now()
	left, err := settle(ctx, k, recorder, s.settle)
	if err != nil {
		return nil, err
	}
	o.settled = time.Since(calm)
	if left != "" {
		say("not at rest after %s: %s", o.settled.Round(time.Second), left)
	}
	if o.remains, err = inspect(ctx, k); err != nil {
		return nil, err
	}
	if err := stop(); err != nil {
		return nil, err
	}
	o.injected, o.history, o.changes = storm.counts(), recorder.history, recorder.changes
	o.tally, o.violations = judge(o.plan, o.remains)
	o.violations = append(recorder.violations, o.violations...)
	return o, nil
}

// watch starts a recorder. stop ends it when it has read what is there, and can be
// called twice.
func watch(ctx context.Context, k *stack, p *plan) (r *recorder, stop func() error, err error) {
	stream, err := streamOf(ctx, k.dynamodb, "JobsTable")
	if err != nil {
		return nil, nil, err
	}
	r = newRecorder(k.streams, p)
	over := make(chan struct{})
	followed := make(chan error, 1)
	go func() { followed <- r.follow(ctx, stream, over) }()
	return r, sync.OnceValue(func() error {
		close(over)
		return <-followed
	}), nil
}

// rage sends the jobs while the storm lasts. Should they not all be accepted by
// then, the storm goes on until they are.
func rage(ctx context.Context, k *stack, p *plan, s setup) error {
	k.storm.begin()
	defer k.storm.end()
	killing, stop := context.WithCancel(ctx)
	defer stop()
	killed := make(chan error, 1)
	go func() { killed <- kill(killing, k, s.seed) }()
	over := time.After(s.lasts)
	if err := send(ctx, k, p, s.lasts*3/4); err != nil {
		return err
	}
	select {
	case <-over:
	case <-ctx.Done():
		return ctx.Err()
	}
	stop()
	return <-killed
}

// quiet is how many looks in a row find nothing left when a stack has come to rest: what
// is under way for the second time may send a message once more.
const quiet = 5

// settle waits until every accepted job has ended, every letter is out and no
// message is left. Where that takes too long it says what is left.
func settle(ctx context.Context, k *stack, r *recorder, longest time.Duration) (left string, err error) {
	deadline := time.Now().Add(longest)
	for looks := 0; ; {
		messages := 0
		jobs := r.unsettled()
		err := eachQueue(ctx, k, func(_, url string, letters bool) error {
			if letters {
				return nil
			}
			n, err := depth(ctx, k, url)
			messages += n
			return err
		})
		if looks++; jobs > 0 || messages > 0 {
			looks = 0
		}
		if err != nil || looks == quiet {
			return "", err
		}
		if looks == 0 && time.Now().After(deadline) {
			return fmt.Sprintf("%d jobs, %d messages", jobs, messages), nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// logTo makes what takes the functions' lines and the runner's: a file.
func logTo(file *os.File) (*slog.Logger, func(function, line string)) {
	var mu sync.Mutex
	lines := func(function, line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(file, "%s %s: %s\n", time.Now().UTC().Format("15:04:05.000"), function, line)
	}
	return slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelWarn})), lines
}
