package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/scripts/overload/work"
)

// A done is what became of a job: its row, and how often it was counted.
type done struct {
	store.Record
	effects int
}

// settle waits until every accepted job has ended, and reads all jobs. left says what
// had not ended when the time was up.
func settle(ctx context.Context, s *stack, accepted map[job.ID]bool, longest time.Duration) (jobs []done, left string, err error) {
	deadline := time.Now().Add(longest)
	for {
		records, err := s.records(ctx)
		if err != nil {
			return nil, "", err
		}
		unfinished := len(accepted)
		for _, rec := range records {
			if accepted[rec.ID] && rec.State.Final() {
				unfinished--
			}
		}
		if late := time.Now().After(deadline); unfinished == 0 || late {
			if late && unfinished > 0 {
				left = fmt.Sprintf("%d jobs had not ended after %v", unfinished, longest)
			}
			jobs, err = s.withEffects(ctx, records)
			return jobs, left, err
		}
		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// aws is the configuration of clients of the stack's own endpoint.
func (s *stack) aws() aws.Config {
	url := s.AWSURL()
	return aws.Config{Region: "us-east-1", BaseEndpoint: &url, Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")}
}

func (s *stack) table() (*store.Jobs, error) {
	return store.New(store.Config{Driver: dynamo.New(dynamodb.NewFromConfig(s.aws()), "JobsTable")})
}

// release does what an operator would when the rush is over, and nothing else arrives:
// spilled jobs are released as fast as the workers finish (nightshift queues spill
// --rate). By itself the sweep leaves room for the peak that is declared.
func (s *stack) release(ctx context.Context, plan sizing.Plan) error {
	if plan.Queue.Full != job.Spill {
		return nil
	}
	jobs, err := s.table()
	if err != nil {
		return err
	}
	return jobs.SetSpillRate(ctx, plan.Queue.Name, plan.DrainRate, false)
}

// records are the rows of all jobs.
func (s *stack) records(ctx context.Context) (all []store.Record, err error) {
	jobs, err := s.table()
	if err != nil {
		return nil, err
	}
	for page := (store.Scan{Limit: 1000}); ; {
		scanned, err := jobs.ScanPage(ctx, page)
		if err != nil {
			return nil, fmt.Errorf("reading the jobs: %w", err)
		}
		all = append(all, scanned.Jobs...)
		if scanned.Next == nil {
			return all, nil
		}
		page.Start = scanned.Next
	}
}

// withEffects puts beside each job how often it was counted.
func (s *stack) withEffects(ctx context.Context, records []store.Record) ([]done, error) {
	effects := map[job.ID]int{}
	pages := dynamodb.NewScanPaginator(dynamodb.NewFromConfig(s.aws()), &dynamodb.ScanInput{
		TableName: aws.String("EffectsTable"), ConsistentRead: aws.Bool(true),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the effects: %w", err)
		}
		for _, row := range page.Items {
			id, isText := row[work.Key].(*types.AttributeValueMemberS)
			count, isNumber := row[work.Count].(*types.AttributeValueMemberN)
			if !isText || !isNumber {
				return nil, fmt.Errorf("a row of effects is %v", row)
			}
			var n int
			if _, err := fmt.Sscan(count.Value, &n); err != nil {
				return nil, fmt.Errorf("a row of effects is %v: %w", row, err)
			}
			effects[job.ID(id.Value)] = n
		}
	}
	all := make([]done, len(records))
	for i, rec := range records {
		all[i] = done{rec, effects[rec.ID]}
	}
	return all, nil
}
