package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

// poller is what processes that poll are called in logs and counts.
const poller = "poller"

// pollers are worker processes outside of Lambda. One that ends is started again, as
// a container is.
type pollers struct {
	program string
	env     []string
	lines   func(function, line string)
	all     sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	running []*exec.Cmd // by place
	failed  error
}

func startPollers(ctx context.Context, k *stack, c config, endpoint string) (*pollers, error) {
	program, err := filepath.Abs(filepath.Join(c.build, "worker", "bootstrap"))
	if err != nil {
		return nil, err
	}
	p := &pollers{program: program, lines: c.lines, running: make([]*exec.Cmd, c.pollers)}
	p.env = []string{
		work.Poll + "=1", work.Effects + "=EffectsTable", settings.Table + "=JobsTable", settings.LogLevel + "=info",
		"AWS_ENDPOINT_URL=" + endpoint, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=256", "HOME=" + os.TempDir(),
	}
	for _, q := range []struct{ name, at, letters string }{
		{work.Quick.Name, "QuickQueue", "QuickDeadLetterQueue"}, {work.Slow.Name, "SlowQueue", "SlowDeadLetterQueue"},
		{work.Ordered.Name, "OrderedQueue.fifo", "OrderedDeadLetterQueue.fifo"},
	} {
		for variable, name := range map[string]string{settings.QueueURL(q.name): q.at, settings.LettersURL(q.name): q.letters} {
			out, err := k.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &name})
			if err != nil {
				return nil, fmt.Errorf("looking for %s: %w", name, err)
			}
			p.env = append(p.env, variable+"="+aws.ToString(out.QueueUrl))
		}
	}
	for place := range c.pollers {
		p.all.Go(func() { p.keep(place) })
	}
	return p, nil
}

// keep runs a process, and another when it has ended.
func (p *pollers) keep(place int) {
	for {
		command := exec.Command(p.program)
		command.Env = p.env
		command.Stdout, command.Stderr = lineTaker(p.lines), lineTaker(p.lines)
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return
		}
		err := command.Start()
		p.running[place] = command
		p.failed = errors.Join(p.failed, err)
		p.mu.Unlock()
		if err != nil {
			return
		}
		err = command.Wait()
		p.lines(poller, fmt.Sprintf("ended: %v", err))
	}
}

// strike kills one of the processes; one in four is asked to end, and drains.
func (p *pollers) strike(which uint64, note func(string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.running) == 0 {
		return
	}
	command, signal, what := p.running[which%uint64(len(p.running))], syscall.SIGKILL, "killed: "+poller
	if which>>32%4 == 0 {
		signal, what = syscall.SIGTERM, "asked to end: "+poller
	}
	// A process that has been waited for is not signalled.
	if command != nil && command.Process.Signal(signal) == nil {
		note(what)
	}
}

// close kills all processes and waits for them.
func (p *pollers) close() error {
	p.mu.Lock()
	p.closed = true
	for _, command := range p.running {
		if command != nil && command.Process != nil {
			_ = command.Process.Kill() // it has ended
		}
	}
	p.mu.Unlock()
	p.all.Wait()
	return p.failed
}

// A lineTaker hands on what a process writes; the logger writes whole lines.
type lineTaker func(function, line string)

func (l lineTaker) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		l(poller, string(bytes.TrimRight(line, "\n")))
	}
	return len(b), nil
}
