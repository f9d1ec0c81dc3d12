package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// turn enables or disables the mapping of a source, a table or a queue.
func (s *stack) turn(ctx context.Context, source string, enabled bool) error {
	client := lambda.NewFromConfig(s.aws())
	all, err := client.ListEventSourceMappings(ctx, &lambda.ListEventSourceMappingsInput{})
	if err != nil {
		return fmt.Errorf("finding the mapping of %s: %w", source, err)
	}
	for _, mapping := range all.EventSourceMappings {
		if strings.Contains(aws.ToString(mapping.EventSourceArn), source) {
			_, err := client.UpdateEventSourceMapping(ctx, &lambda.UpdateEventSourceMappingInput{UUID: mapping.UUID, Enabled: &enabled})
			if err != nil {
				return fmt.Errorf("turning the mapping of %s: %w", source, err)
			}
			return nil
		}
	}
	return fmt.Errorf("there is no mapping of %s", source)
}
