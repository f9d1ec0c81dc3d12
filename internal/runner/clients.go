package runner

import (
	"cmp"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/localaws"
)

type clients struct {
	sqs      *sqs.Client
	dynamodb *dynamodb.Client
	streams  *dynamodbstreams.Client
	s3       *s3.Client
}

// newClients makes clients for an endpoint. They never go to AWS itself.
func newClients(endpoint, region string) clients {
	key, secret, token := keys()
	config := aws.Config{
		Region: region, BaseEndpoint: &endpoint,
		Credentials: credentials.NewStaticCredentialsProvider(key, secret, token),
	}
	return clients{
		sqs:      sqs.NewFromConfig(config),
		dynamodb: dynamodb.NewFromConfig(config),
		streams:  dynamodbstreams.NewFromConfig(config),
		s3:       s3.NewFromConfig(config, func(o *s3.Options) { o.UsePathStyle = true }),
	}
}

// keys are the environment's, for an endpoint that looks at them, or made up.
func keys() (key, secret, token string) {
	return cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), localaws.DefaultSecret), cmp.Or(os.Getenv("AWS_SECRET_ACCESS_KEY"), localaws.DefaultSecret), os.Getenv("AWS_SESSION_TOKEN")
}

// environment is what functions get to reach the endpoint.
func (s *Stack) environment() map[string]string {
	key, secret, token := keys()
	e := map[string]string{"AWS_ENDPOINT_URL": s.awsURL, "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret}
	if token != "" {
		e["AWS_SESSION_TOKEN"] = token
	}
	return e
}
