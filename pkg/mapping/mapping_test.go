package mapping_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/nightshift-go/nightshift/pkg/mapping"
)

// api is a Lambda that answers with one state or error.
type api struct {
	state string
	most  *int32
	err   error
	asked *lambda.UpdateEventSourceMappingInput
}

func (a *api) GetEventSourceMapping(context.Context, *lambda.GetEventSourceMappingInput, ...func(*lambda.Options)) (*lambda.GetEventSourceMappingOutput, error) {
	out := &lambda.GetEventSourceMappingOutput{State: &a.state}
	if a.most != nil {
		out.ScalingConfig = &types.ScalingConfig{MaximumConcurrency: a.most}
	}
	return out, a.err
}

func (a *api) UpdateEventSourceMapping(_ context.Context, in *lambda.UpdateEventSourceMappingInput, _ ...func(*lambda.Options)) (*lambda.UpdateEventSourceMappingOutput, error) {
	a.asked = in
	return &lambda.UpdateEventSourceMappingOutput{}, a.err
}

func TestGet(t *testing.T) {
	for name, want := range map[string]mapping.State{
		"Enabled":   {Enabled: true, Settled: true},
		"Disabled":  {Settled: true},
		"Enabling":  {Enabled: true},
		"Disabling": {},
		"Updating":  {Enabled: true},
		"Creating":  {Enabled: true},
	} {
		want.Name, want.Concurrency = name, 7
		got, err := mapping.New(&api{state: name, most: aws.Int32(7)}).Get(t.Context(), "u")
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := mapping.New(&api{state: "Enabled"}).Get(t.Context(), "u"); err != nil || got.Concurrency != 0 {
		t.Errorf("without a maximum: %+v, %v", got, err)
	}
}

func TestSetChangesOnlyWhatIsAsked(t *testing.T) {
	a := &api{}
	if err := mapping.New(a).Set(t.Context(), "u", mapping.Change{Concurrency: 9}); err != nil {
		t.Fatal(err)
	}
	if *a.asked.UUID != "u" || a.asked.Enabled != nil || *a.asked.ScalingConfig.MaximumConcurrency != 9 {
		t.Errorf("%+v", a.asked)
	}
	if err := mapping.New(a).Set(t.Context(), "u", mapping.Change{Enabled: aws.Bool(false)}); err != nil {
		t.Fatal(err)
	}
	if a.asked.ScalingConfig != nil || *a.asked.Enabled {
		t.Errorf("%+v", a.asked)
	}
}

func TestErrorsThatCallersDecideOn(t *testing.T) {
	for _, c := range []struct{ err, want error }{
		{&types.ResourceInUseException{}, mapping.ErrBusy},
		{&types.ResourceConflictException{}, mapping.ErrBusy},
		{&types.TooManyRequestsException{}, mapping.ErrBusy},
		{&types.ResourceNotFoundException{}, mapping.ErrGone},
	} {
		m := mapping.New(&api{err: c.err})
		_, got := m.Get(t.Context(), "u")
		set := m.Set(t.Context(), "u", mapping.Change{Concurrency: 2})
		for _, err := range []error{got, set} {
			if !errors.Is(err, c.want) || !errors.Is(err, c.err) {
				t.Errorf("%T: %v", c.err, err)
			}
		}
	}
	other := &types.InvalidParameterValueException{}
	if err := mapping.New(&api{err: other}).Set(t.Context(), "u", mapping.Change{}); errors.Is(err, mapping.ErrBusy) || !errors.Is(err, other) {
		t.Error(err)
	}
}

func ExampleLambda() {
	m := mapping.New(&api{state: "Enabled", most: aws.Int32(90)}) // lambda.NewFromConfig(cfg)
	state, err := m.Get(context.Background(), "5f1c7c1e-0d0c-4b8e-9d0f-0a4a3b0e2d11")
	fmt.Println(state.Enabled, state.Concurrency, err)
	if state.Settled { // else it can't be changed now
		err = m.Set(context.Background(), "5f1c7c1e-0d0c-4b8e-9d0f-0a4a3b0e2d11", mapping.Change{Concurrency: 120})
	}
	fmt.Println(err)
	// Output:
	// true 90 <nil>
	// <nil>
}
