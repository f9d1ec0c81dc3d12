package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// A sample is what was seen of the stack at a time.
type sample struct {
	at time.Time
	// depth is what SQS holds, spilled what waits in the table.
	depth, spilled int
	// bytes is the memory of the stack's processes: this one, which is endpoint and
	// event sources, and the functions that it started. Zero where it is not known.
	bytes     int64
	processes int
}

// watch takes a sample each second until ctx ends, and tells which jobs it saw spilled.
// What can't be read in a second is not in its sample.
func watch(ctx context.Context, s *stack, name string) (samples []sample, spilled map[job.ID]bool) {
	spilled = map[job.ID]bool{}
	counter := queue.New(sqs.NewFromConfig(s.aws()))
	url := s.AWSURL() + "/000000000000/" + name
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return samples, spilled
		case at := <-tick.C:
			now := sample{at: at}
			if depth, err := counter.Depth(ctx, url); err == nil {
				now.depth = depth.Total()
			}
			if records, err := s.records(ctx); err == nil {
				for _, rec := range records {
					if rec.State == lifecycle.Scheduled {
						now.spilled++
						spilled[rec.ID] = true
					}
				}
			}
			if list, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=,rss=").Output(); err == nil {
				now.processes, now.bytes = memoryOf(list, os.Getpid())
			}
			samples = append(samples, now)
		}
	}
}

// memoryOf adds up what a process and its children have, by the list of ps.
func memoryOf(list []byte, pid int) (processes int, total int64) {
	for line := range bytes.Lines(list) {
		var own, parent int
		var kilobytes int64
		if n, _ := fmt.Sscan(string(line), &own, &parent, &kilobytes); n != 3 {
			continue
		}
		if own == pid || parent == pid {
			processes++
			total += 1024 * kilobytes
		}
	}
	return processes, total
}
