// Package mapping reads and changes Lambda's event source mappings: how many
// invocations of a queue's worker there may be at once, and whether there are any.
//
// https://docs.aws.amazon.com/lambda/latest/api/API_UpdateEventSourceMapping.html
package mapping

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

var (
	// ErrBusy means that the mapping can't be changed just now: it is being changed,
	// or too much is asked of Lambda. The same call may succeed in a minute.
	ErrBusy = errors.New("mapping: it can't be changed now")
	// ErrGone means that there is no such mapping.
	ErrGone = errors.New("mapping: there is none")
)

// API is the part of the Lambda client that this package uses.
type API interface {
	GetEventSourceMapping(context.Context, *lambda.GetEventSourceMappingInput, ...func(*lambda.Options)) (*lambda.GetEventSourceMappingOutput, error)
	UpdateEventSourceMapping(context.Context, *lambda.UpdateEventSourceMappingInput, ...func(*lambda.Options)) (*lambda.UpdateEventSourceMappingOutput, error)
}

// Lambda speaks to Lambda. It may be used by many goroutines.
type Lambda struct{ api API }

// New makes a Lambda of a client.
func New(api API) *Lambda { return &Lambda{api} }

// A State is how a mapping stands.
type State struct {
	// Enabled tells that it polls its queue, or is about to.
	Enabled bool
	// Concurrency is its MaximumConcurrency; zero where it has none.
	Concurrency int
	// Settled tells that no change is under way. Only then can it be changed.
	Settled bool
	// Name is the state as AWS calls it: "Enabled", "Updating".
	Name string
}

// Get reads how a mapping stands; ErrGone is wrapped where there is none.
func (l *Lambda) Get(ctx context.Context, uuid string) (State, error) {
	out, err := l.api.GetEventSourceMapping(ctx, &lambda.GetEventSourceMappingInput{UUID: &uuid})
	if err != nil {
		return State{}, fmt.Errorf("mapping: reading %s: %w", uuid, named(err))
	}
	s := State{Name: aws.ToString(out.State)}
	s.Enabled = s.Name != "Disabled" && s.Name != "Disabling"
	s.Settled = s.Name == "Enabled" || s.Name == "Disabled"
	if out.ScalingConfig != nil {
		s.Concurrency = int(aws.ToInt32(out.ScalingConfig.MaximumConcurrency))
	}
	return s, nil
}

// A Change is what is to be changed of a mapping; the rest stays.
type Change struct {
	// Concurrency is the new MaximumConcurrency, 2 to 1000; zero leaves it.
	Concurrency int
	// Enabled lets the mapping poll or pauses it; nil leaves that.
	Enabled *bool
}

// Set begins a change, which takes effect within seconds or a minute: Get tells. It
// wraps ErrBusy where it has to be tried again, and ErrGone where there is no such
// mapping.
func (l *Lambda) Set(ctx context.Context, uuid string, c Change) error {
	in := &lambda.UpdateEventSourceMappingInput{UUID: &uuid, Enabled: c.Enabled}
	if c.Concurrency != 0 {
		in.ScalingConfig = &types.ScalingConfig{MaximumConcurrency: aws.Int32(int32(c.Concurrency))}
	}
	if _, err := l.api.UpdateEventSourceMapping(ctx, in); err != nil {
		return fmt.Errorf("mapping: changing %s: %w", uuid, named(err))
	}
	return nil
}

// named joins what callers decide on to AWS's errors.
func named(err error) error {
	var inUse *types.ResourceInUseException
	var conflict *types.ResourceConflictException
	var throttled *types.TooManyRequestsException
	var missing *types.ResourceNotFoundException
	switch {
	case errors.As(err, &inUse), errors.As(err, &conflict), errors.As(err, &throttled):
		return errors.Join(ErrBusy, err)
	case errors.As(err, &missing):
		return errors.Join(ErrGone, err)
	}
	return err
}
