package fault

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// Lambda is the part of the Lambda client that pkg uses.
type Lambda interface {
	GetEventSourceMapping(context.Context, *lambda.GetEventSourceMappingInput, ...func(*lambda.Options)) (*lambda.GetEventSourceMappingOutput, error)
	UpdateEventSourceMapping(context.Context, *lambda.UpdateEventSourceMappingInput, ...func(*lambda.Options)) (*lambda.UpdateEventSourceMappingOutput, error)
}

// Lambda is Lambda as the process reaches it.
func (p *Process) Lambda(inner Lambda) Lambda { return lambdaClient{p, inner} }

type lambdaClient struct {
	p     *Process
	inner Lambda
}

var errTooMany error = &types.TooManyRequestsException{Message: aws.String("injected")}

// GetEventSourceMapping reads a mapping.
func (l lambdaClient) GetEventSourceMapping(ctx context.Context, in *lambda.GetEventSourceMappingInput, _ ...func(*lambda.Options)) (*lambda.GetEventSourceMappingOutput, error) {
	c := Call{Method: "GetEventSourceMapping", Key: aws.ToString(in.UUID), Reads: true}
	return perform(ctx, l.p, c, errTooMany, func(ctx context.Context) (*lambda.GetEventSourceMappingOutput, error) {
		return l.inner.GetEventSourceMapping(ctx, in)
	})
}

// UpdateEventSourceMapping changes a mapping.
func (l lambdaClient) UpdateEventSourceMapping(ctx context.Context, in *lambda.UpdateEventSourceMappingInput, _ ...func(*lambda.Options)) (*lambda.UpdateEventSourceMappingOutput, error) {
	c := Call{Method: "UpdateEventSourceMapping", Key: aws.ToString(in.UUID)}
	return perform(ctx, l.p, c, errTooMany, func(ctx context.Context) (*lambda.UpdateEventSourceMappingOutput, error) {
		return l.inner.UpdateEventSourceMapping(ctx, in)
	})
}
