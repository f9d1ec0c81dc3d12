package fault

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"
)

// SNS is the part of the SNS client that pkg uses.
type SNS interface {
	PublishBatch(context.Context, *sns.PublishBatchInput, ...func(*sns.Options)) (*sns.PublishBatchOutput, error)
}

// Topics is SNS as the process reaches it. Where SNS throttles a batch, it says so of
// each entry.
func (p *Process) Topics(inner SNS) SNS { return topicClient{p, inner} }

type topicClient struct {
	p     *Process
	inner SNS
}

// PublishBatch publishes messages.
func (t topicClient) PublishBatch(ctx context.Context, in *sns.PublishBatchInput, _ ...func(*sns.Options)) (*sns.PublishBatchOutput, error) {
	arn := aws.ToString(in.TopicArn)
	c := Call{Method: "PublishBatch", Key: arn[strings.LastIndexByte(arn, ':')+1:]}
	out, err := perform(ctx, t.p, c, errBusy, func(ctx context.Context) (*sns.PublishBatchOutput, error) {
		return t.inner.PublishBatch(ctx, in)
	})
	if err == errBusy {
		out, err = &sns.PublishBatchOutput{}, nil
		for _, e := range in.PublishBatchRequestEntries {
			out.Failed = append(out.Failed, types.BatchResultErrorEntry{Id: e.Id, Code: aws.String("ThrottledException"), Message: aws.String("injected")})
		}
	}
	return out, err
}
