package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

// A queue is what the runner knows of a declared queue.
type queue struct {
	id, name, url, arn string
	fifo               bool
	visibility         time.Duration
	maxReceiveCount    int
}

func (s *Stack) createQueue(ctx context.Context, r *samtemplate.Resource, scope *samtemplate.Scope) error {
	var declared samtemplate.Queue
	if err := s.template.Decode(r, scope, &declared); err != nil {
		return err
	}
	name := declared.QueueName
	if name == "" {
		name = r.ID
		if declared.FifoQueue {
			name += ".fifo"
		}
	}
	attributes, err := queueAttributes(declared)
	if err != nil {
		return err
	}
	url, err := s.ensureQueue(ctx, name, declared.FifoQueue, attributes)
	if err != nil {
		return err
	}
	got, err := s.clients.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}})
	if err != nil {
		return fmt.Errorf("reading the queue's attributes: %w", err)
	}
	seconds, err := strconv.Atoi(cmp.Or(got.Attributes["VisibilityTimeout"], "30"))
	if err != nil {
		return fmt.Errorf("the queue's visibility timeout: %w", err)
	}
	q := &queue{id: r.ID, name: name, url: url, arn: got.Attributes["QueueArn"], fifo: declared.FifoQueue, visibility: time.Duration(seconds) * time.Second}
	if declared.RedrivePolicy != nil {
		q.maxReceiveCount = declared.RedrivePolicy.MaxReceiveCount
	}
	s.queues = append(s.queues, q)
	scope.Set(r.ID, "Ref", url)
	scope.Set(r.ID, "QueueUrl", url)
	scope.Set(r.ID, "QueueName", name)
	scope.Set(r.ID, "Arn", q.arn)
	return nil
}

// ensureQueue finds the queue and sets its attributes, or creates it.
func (s *Stack) ensureQueue(ctx context.Context, name string, fifo bool, attributes map[string]string) (string, error) {
	found, err := s.clients.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &name})
	var missing *types.QueueDoesNotExist
	switch {
	case errors.As(err, &missing):
		if fifo {
			attributes["FifoQueue"] = "true"
		}
		created, err := s.clients.sqs.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
		if err != nil {
			return "", fmt.Errorf("creating the queue: %w", err)
		}
		return *created.QueueUrl, nil
	case err != nil:
		return "", fmt.Errorf("looking for the queue: %w", err)
	case len(attributes) > 0:
		if _, err := s.clients.sqs.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: found.QueueUrl, Attributes: attributes}); err != nil {
			return "", fmt.Errorf("updating the queue: %w", err)
		}
	}
	return *found.QueueUrl, nil
}

// queueAttributes gives what matters locally. Encryption and policies do not.
func queueAttributes(q samtemplate.Queue) (map[string]string, error) {
	a := map[string]string{}
	for name, v := range map[string]*int{
		"DelaySeconds": q.DelaySeconds, "MaximumMessageSize": q.MaximumMessageSize, "MessageRetentionPeriod": q.MessageRetentionPeriod,
		"ReceiveMessageWaitTimeSeconds": q.ReceiveMessageWaitTimeSeconds, "VisibilityTimeout": q.VisibilityTimeout,
	} {
		if v != nil {
			a[name] = strconv.Itoa(*v)
		}
	}
	if q.FifoQueue {
		a["ContentBasedDeduplication"] = strconv.FormatBool(q.ContentBasedDeduplication)
	}
	for name, v := range map[string]string{"DeduplicationScope": q.DeduplicationScope, "FifoThroughputLimit": q.FifoThroughputLimit} {
		if v != "" {
			a[name] = v
		}
	}
	if q.RedrivePolicy != nil {
		encoded, err := json.Marshal(q.RedrivePolicy)
		if err != nil {
			return nil, fmt.Errorf("encoding the redrive policy: %w", err)
		}
		a["RedrivePolicy"] = string(encoded)
	}
	return a, nil
}

func (s *Stack) createBucket(ctx context.Context, r *samtemplate.Resource, scope *samtemplate.Scope) error {
	var declared samtemplate.Bucket
	if err := s.template.Decode(r, scope, &declared); err != nil {
		return err
	}
	name := cmp.Or(declared.BucketName, strings.ToLower(r.ID))
	input := &s3.CreateBucketInput{Bucket: &name}
	if s.config.Region != "us-east-1" { // where a location constraint is refused
		input.CreateBucketConfiguration = &s3types.CreateBucketConfiguration{LocationConstraint: s3types.BucketLocationConstraint(s.config.Region)}
	}
	_, err := s.clients.s3.CreateBucket(ctx, input)
	var owned *s3types.BucketAlreadyOwnedByYou
	if err != nil && !errors.As(err, &owned) {
		return fmt.Errorf("creating the bucket: %w", err)
	}
	if declared.CorsConfiguration != nil {
		cors := &s3types.CORSConfiguration{}
		for _, rule := range declared.CorsConfiguration.CorsRules {
			cors.CORSRules = append(cors.CORSRules, s3types.CORSRule{AllowedHeaders: rule.AllowedHeaders, AllowedMethods: rule.AllowedMethods,
				AllowedOrigins: rule.AllowedOrigins, ExposeHeaders: rule.ExposedHeaders, MaxAgeSeconds: aws.Int32(int32(rule.MaxAge))})
		}
		if _, err := s.clients.s3.PutBucketCors(ctx, &s3.PutBucketCorsInput{Bucket: &name, CORSConfiguration: cors}); err != nil {
			return fmt.Errorf("setting the bucket's CORS rules: %w", err)
		}
	}
	if err := s.notifyOf(ctx, name, declared.NotificationConfiguration); err != nil {
		return err
	}
	scope.Set(r.ID, "Ref", name)
	scope.Set(r.ID, "Arn", "arn:aws:s3:::"+name)
	scope.Set(r.ID, "DomainName", name+".s3.amazonaws.com")
	scope.Set(r.ID, "RegionalDomainName", name+".s3."+s.config.Region+".amazonaws.com")
	return nil
}
