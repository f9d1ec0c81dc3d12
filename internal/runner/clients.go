package runner

import (
	"cmp"
	"maps"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

type clients struct {
	sqs      *sqs.Client
	dynamodb *dynamodb.Client
	streams  *dynamodbstreams.Client
	s3       *s3.Client
	sns      *sns.Client
	ses      *sesv2.Client
}

// newClients makes clients for an endpoint. They never go to AWS itself.
func newClients(endpoint, region string) clients {
	config := configFor(endpoint, region)
	return clients{
		sqs:      sqs.NewFromConfig(config),
		dynamodb: dynamodb.NewFromConfig(config),
		sns:      sns.NewFromConfig(config),
		ses:      sesv2.NewFromConfig(config),
		streams:  dynamodbstreams.NewFromConfig(config),
		s3:       s3.NewFromConfig(config, func(o *s3.Options) { o.UsePathStyle = true }),
	}
}

func configFor(endpoint, region string) aws.Config {
	key, secret, token := keys()
	return aws.Config{
		Region: region, BaseEndpoint: &endpoint,
		Credentials: credentials.NewStaticCredentialsProvider(key, secret, token),
	}
}

// AWSConfig is for clients of the stack's endpoint.
func (f Found) AWSConfig() aws.Config { return configFor(f.AWS, f.Region) }

// found is what the stack writes down of itself. Secrets are not for writing down.
func (s *Stack) found() Found {
	f := Found{HTTP: s.httpURL, AWS: s.awsURL, Region: s.config.Region, Settings: map[string]string{}}
	if s.clock != nil {
		f.Settings[settings.Clock] = s.clock.Path()
	}
	for _, function := range s.functions {
		for name, value := range function.settings.Environment.Variables {
			if name == settings.Table || name == settings.Namespace || name == settings.RelayWindow || strings.HasPrefix(name, settings.QueuePrefix) || strings.HasPrefix(name, settings.TopicPrefix) {
				f.Settings[name] = value
			}
		}
	}
	return f
}

// keys are the environment's, for an endpoint that looks at them, or made up.
func keys() (key, secret, token string) {
	return cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), localaws.DefaultSecret), cmp.Or(os.Getenv("AWS_SECRET_ACCESS_KEY"), localaws.DefaultSecret), os.Getenv("AWS_SESSION_TOKEN")
}

// environment is what functions get to reach the endpoint, and what the configuration adds.
func (s *Stack) environment() map[string]string {
	key, secret, token := keys()
	e := map[string]string{}
	maps.Copy(e, s.config.Environment)
	e["AWS_ENDPOINT_URL"], e["AWS_ACCESS_KEY_ID"], e["AWS_SECRET_ACCESS_KEY"] = s.awsURL, key, secret
	if s.clock != nil {
		e[settings.Clock] = s.clock.Path()
	}
	if token != "" {
		e["AWS_SESSION_TOKEN"] = token
	}
	return e
}
