package main

import (
	"context"
	"math/rand/v2"
	"time"
)

// victims are the functions whose processes are killed; the more often one stands
// here, the more often it is.
var victims = []string{"worker", "worker", "worker", "worker", "worker", "relay", "relay", "sweep", "backstop", "front", poller, poller}

// Bounds of the time between two kills.
const (
	leastPeace = 150 * time.Millisecond
	mostPeace  = 900 * time.Millisecond
)

// kill ends processes with SIGKILL at random until ctx ends: only those that the
// stack has started.
func kill(ctx context.Context, k *stack, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 3))
	for {
		peace := leastPeace + time.Duration(r.Int64N(int64(mostPeace-leastPeace)))
		victim, which := victims[r.IntN(len(victims))], r.Uint64()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(peace):
		}
		if victim == poller {
			k.pollers.strike(which, k.storm.note)
			continue
		}
		killed, err := k.Kill(victim, func(n int) int { return int(which % uint64(n)) })
		if err != nil {
			return err
		}
		if killed {
			k.storm.note("killed: " + victim)
		}
	}
}

// sweepEvery is the time between two runs of the sweep: the schedule's minute is
// too long for a stack that works in seconds.
const sweepEvery = time.Second

// keepSweeping runs the sweep until ctx ends. A run that fails is followed by the
// next, as a schedule's is.
func keepSweeping(ctx context.Context, k *stack) {
	for {
		_, _ = k.Invoke(ctx, "sweep", []byte(`{}`)) // killed, throttled, or out of time
		select {
		case <-ctx.Done():
			return
		case <-time.After(sweepEvery):
		}
	}
}
