package runner

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// change changes a mapping as any program does, when it can be changed.
func change(t *testing.T, s *Stack, id string, in lambda.UpdateEventSourceMappingInput) {
	t.Helper()
	client := lambda.NewFromConfig(configFor(s.AWSURL(), "us-east-1"))
	in.UUID = aws.String(mappingUUID(id))
	eventually(t, func() bool {
		_, err := client.UpdateEventSourceMapping(t.Context(), &in)
		var busy *types.ResourceInUseException
		if err != nil && !errors.As(err, &busy) {
			t.Fatal(err)
		}
		return err == nil
	})
}

func mappingOf(t *testing.T, s *Stack, id string) mappingState {
	t.Helper()
	for _, m := range stateOf(t, s).Mappings {
		if m.UUID == mappingUUID(id) {
			return m
		}
	}
	t.Fatalf("there is no mapping %s", id)
	return mappingState{}
}

const queueMapping, streamMapping = "WorkMapping", "TailFunctionStream"

func TestAMappingIsPausedAndGoesOn(t *testing.T) {
	s, written := start(t, nil)
	if m := mappingOf(t, s, queueMapping); !m.Enabled {
		t.Fatalf("%+v", m)
	}
	eventually(t, func() bool { return mappingOf(t, s, queueMapping).Pollers > 0 })
	change(t, s, queueMapping, lambda.UpdateEventSourceMappingInput{Enabled: aws.Bool(false)})
	change(t, s, streamMapping, lambda.UpdateEventSourceMappingInput{Enabled: aws.Bool(false)})
	eventually(t, func() bool { return mappingOf(t, s, queueMapping).Pollers == 0 })
	send(t, s, "patient")
	put(t, s, "kept")
	if q := stateOf(t, s).Queues[1]; q.Visible != 1 || q.InFlight != 0 {
		t.Errorf("%+v", q)
	}
	change(t, s, queueMapping, lambda.UpdateEventSourceMappingInput{Enabled: aws.Bool(true)})
	written.await(t, "worker: message patient")
	change(t, s, streamMapping, lambda.UpdateEventSourceMappingInput{Enabled: aws.Bool(true)})
	written.await(t, "tail: record kept")
}

func TestAMappingsConcurrencyIsThePollers(t *testing.T) {
	s, _ := start(t, func(c *Config) { c.Workers = 20 })
	eventually(t, func() bool { return mappingOf(t, s, queueMapping).Pollers == 5 })
	change(t, s, queueMapping, lambda.UpdateEventSourceMappingInput{ScalingConfig: &types.ScalingConfig{MaximumConcurrency: aws.Int32(2)}})
	if m := mappingOf(t, s, queueMapping); m.MaximumConcurrency != 2 {
		t.Errorf("%+v", m)
	}
	for range 4 { // each wakes pollers
		send(t, s, "good")
	}
	eventually(t, func() bool { return mappingOf(t, s, queueMapping).Pollers == 2 })
}

func TestAChangeOutlivesTheStack(t *testing.T) {
	folder := t.TempDir()
	keep := func(c *Config) { c.DataDir = folder }
	c, _ := config(keep)
	first, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	change(t, first, queueMapping, lambda.UpdateEventSourceMappingInput{Enabled: aws.Bool(false)})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, _ := start(t, keep)
	if m := mappingOf(t, second, queueMapping); m.Enabled {
		t.Errorf("%+v", m)
	}
}
