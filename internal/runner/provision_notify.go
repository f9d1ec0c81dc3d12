package runner

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

// templateNotice begins the ids of the notifications that a template declares. Those
// that programs configured have others, and stay.
const templateNotice = "template-"

// notifyOf has a bucket notify whom the template says, and nobody any more whom it said
// before.
func (s *Stack) notifyOf(ctx context.Context, bucket string, declared *samtemplate.BucketNotifications) error {
	if declared == nil && s.endpoint == nil {
		return nil // another endpoint's buckets are not for this stack to tidy up
	}
	present, err := s.clients.s3.GetBucketNotificationConfiguration(ctx, &s3.GetBucketNotificationConfigurationInput{Bucket: &bucket})
	if err != nil {
		return fmt.Errorf("reading the bucket's notifications: %w", err)
	}
	wanted := s3types.NotificationConfiguration{
		LambdaFunctionConfigurations: slices.DeleteFunc(slices.Clone(present.LambdaFunctionConfigurations), func(c s3types.LambdaFunctionConfiguration) bool {
			return strings.HasPrefix(aws.ToString(c.Id), templateNotice)
		}),
		QueueConfigurations: slices.DeleteFunc(slices.Clone(present.QueueConfigurations), func(c s3types.QueueConfiguration) bool {
			return strings.HasPrefix(aws.ToString(c.Id), templateNotice)
		}),
	}
	if err := addNotifications(&wanted, declared); err != nil {
		return err
	}
	if sameNotifications(wanted, present) {
		return nil // queues are sent a test event for each change
	}
	_, err = s.clients.s3.PutBucketNotificationConfiguration(ctx, &s3.PutBucketNotificationConfigurationInput{Bucket: &bucket, NotificationConfiguration: &wanted})
	if err != nil {
		return fmt.Errorf("setting the bucket's notifications: %w", err)
	}
	return nil
}

func addNotifications(to *s3types.NotificationConfiguration, declared *samtemplate.BucketNotifications) error {
	if declared == nil {
		return nil
	}
	bridge := declared.EventBridgeConfiguration
	if len(declared.TopicConfigurations) > 0 || bridge != nil && (bridge.EventBridgeEnabled == nil || *bridge.EventBridgeEnabled) {
		return errors.New("buckets notify queues and functions here, not topics or EventBridge")
	}
	for i, n := range declared.LambdaConfigurations {
		to.LambdaFunctionConfigurations = append(to.LambdaFunctionConfigurations, s3types.LambdaFunctionConfiguration{
			Id: aws.String(fmt.Sprintf("%sfunction-%d", templateNotice, i)), LambdaFunctionArn: &n.Function, Events: []s3types.Event{s3types.Event(n.Event)}, Filter: keyFilter(n.Filter),
		})
	}
	for i, n := range declared.QueueConfigurations {
		to.QueueConfigurations = append(to.QueueConfigurations, s3types.QueueConfiguration{
			Id: aws.String(fmt.Sprintf("%squeue-%d", templateNotice, i)), QueueArn: &n.Queue, Events: []s3types.Event{s3types.Event(n.Event)}, Filter: keyFilter(n.Filter),
		})
	}
	return nil
}

func keyFilter(f samtemplate.ObjectFilter) *s3types.NotificationConfigurationFilter {
	if len(f.S3Key.Rules) == 0 {
		return nil
	}
	key := &s3types.S3KeyFilter{}
	for _, rule := range f.S3Key.Rules {
		// S3 gives the names back with a capital, and the prefix first.
		name := strings.ToUpper(rule.Name[:min(1, len(rule.Name))]) + rule.Name[min(1, len(rule.Name)):]
		key.FilterRules = append(key.FilterRules, s3types.FilterRule{Name: s3types.FilterRuleName(name), Value: &rule.Value})
	}
	slices.SortFunc(key.FilterRules, func(a, b s3types.FilterRule) int { return strings.Compare(string(a.Name), string(b.Name)) })
	return &s3types.NotificationConfigurationFilter{Key: key}
}

func sameNotifications(wanted s3types.NotificationConfiguration, present *s3.GetBucketNotificationConfigurationOutput) bool {
	same := func(a, b any) bool {
		return reflect.ValueOf(a).Len() == 0 && reflect.ValueOf(b).Len() == 0 || reflect.DeepEqual(a, b)
	}
	return same(wanted.LambdaFunctionConfigurations, present.LambdaFunctionConfigurations) && same(wanted.QueueConfigurations, present.QueueConfigurations)
}
