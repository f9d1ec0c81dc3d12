package samtemplate

import "reflect"

// The resource types that the local stack creates or runs.
const (
	TypeFunction    = "AWS::Serverless::Function"
	TypeHTTPAPI     = "AWS::Serverless::HttpApi"
	TypeAPI         = "AWS::ApiGatewayV2::Api"
	TypeRoute       = "AWS::ApiGatewayV2::Route"
	TypeIntegration = "AWS::ApiGatewayV2::Integration"
	TypeMapping     = "AWS::Lambda::EventSourceMapping"
	TypeAsync       = "AWS::Lambda::EventInvokeConfig"
	TypeQueue       = "AWS::SQS::Queue"
	TypeTable       = "AWS::DynamoDB::Table"
	TypeBucket      = "AWS::S3::Bucket"
	TypeSecret      = "AWS::SecretsManager::Secret"
	TypeSchedule    = "AWS::Scheduler::Schedule"

	TypeTopic        = "AWS::SNS::Topic"
	TypeSubscription = "AWS::SNS::Subscription"

	TypeEmailIdentity    = "AWS::SES::EmailIdentity"
	TypeEmailTemplate    = "AWS::SES::Template"
	TypeConfigurationSet = "AWS::SES::ConfigurationSet"
	TypeContactList      = "AWS::SES::ContactList"
	TypeMailEvents       = "AWS::SES::ConfigurationSetEventDestination"
)

// A Function is an AWS::Serverless::Function. Names are CloudFormation's.
type Function struct {
	FunctionName string
	// CodeURI is the folder with the built bootstrap; its last element is the
	// function's folder.
	CodeURI          string `cfn:"CodeUri"`
	Handler, Runtime string
	// Timeout is in seconds; zero means 3, as in AWS.
	Timeout int
	// MemorySize is in MB; zero means 128.
	MemorySize  int
	Environment struct{ Variables map[string]string }
	Events      map[string]Event
	// ReservedConcurrentExecutions bounds the environments, where it is set.
	ReservedConcurrentExecutions *int
	EventInvokeConfig            AsyncSettings
}

// An Event is an entry of a SAM function's Events.
type Event struct {
	Type       string
	Properties Raw
}

// AsyncSettings say how asynchronous invocations of a function are retried.
type AsyncSettings struct {
	FunctionName             string
	MaximumRetryAttempts     *int
	MaximumEventAgeInSeconds *int
}

// A Queue is an AWS::SQS::Queue. Times are in seconds; nil leaves SQS's default.
type Queue struct {
	QueueName                     string
	FifoQueue                     bool
	ContentBasedDeduplication     bool
	DeduplicationScope            string
	FifoThroughputLimit           string
	DelaySeconds                  *int
	MaximumMessageSize            *int
	MessageRetentionPeriod        *int
	ReceiveMessageWaitTimeSeconds *int
	VisibilityTimeout             *int
	RedrivePolicy                 *RedrivePolicy
}

// A RedrivePolicy names a queue's dead-letter queue.
type RedrivePolicy struct {
	DeadLetterTargetArn string `cfn:"deadLetterTargetArn" json:"deadLetterTargetArn"`
	MaxReceiveCount     int    `cfn:"maxReceiveCount" json:"maxReceiveCount"`
}

// A Table is an AWS::DynamoDB::Table.
type Table struct {
	TableName               string
	AttributeDefinitions    []struct{ AttributeName, AttributeType string }
	KeySchema               []Key
	GlobalSecondaryIndexes  []Index
	LocalSecondaryIndexes   []Index
	StreamSpecification     *struct{ StreamViewType string }
	TimeToLiveSpecification *struct {
		AttributeName string
		Enabled       bool
	}
}

// A Key is one attribute of a key: KeyType is HASH or RANGE.
type Key struct{ AttributeName, KeyType string }

// An Index is a secondary index.
type Index struct {
	IndexName  string
	KeySchema  []Key
	Projection struct {
		ProjectionType   string
		NonKeyAttributes []string
	}
}

// A Bucket is an AWS::S3::Bucket.
type Bucket struct {
	BucketName                string
	CorsConfiguration         *struct{ CorsRules []CORSRule }
	NotificationConfiguration *BucketNotifications
}

// A CORSRule is one CORS rule of a bucket.
type CORSRule struct {
	AllowedHeaders, AllowedMethods, AllowedOrigins, ExposedHeaders []string
	// MaxAge is in seconds.
	MaxAge int
}

// A Secret is an AWS::SecretsManager::Secret.
type Secret struct {
	Name                 string
	SecretString         string
	GenerateSecretString *struct {
		// PasswordLength is in characters; zero means 32.
		PasswordLength int
	}
}

// CORS is the CORS configuration of an HTTP API; MaxAge is in seconds.
type CORS struct {
	AllowOrigins, AllowMethods, AllowHeaders, ExposeHeaders []string
	AllowCredentials                                        bool
	MaxAge                                                  int
}

// An API is an AWS::ApiGatewayV2::Api or an AWS::Serverless::HttpApi.
type API struct {
	Name              string
	ProtocolType      string
	CorsConfiguration Raw
}

// known tells whether the local stack understands a resource type.
func known(kind string) bool { return prototype(kind) != nil }

// prototype gives a fresh struct for a resource type, or nil.
func prototype(kind string) any {
	switch kind {
	case TypeFunction:
		return &Function{}
	case TypeHTTPAPI, TypeAPI:
		return &API{}
	case TypeRoute:
		return &route{}
	case TypeIntegration:
		return &integration{}
	case TypeMapping:
		return &Mapping{}
	case TypeAsync:
		return &AsyncSettings{}
	case TypeQueue:
		return &Queue{}
	case TypeTable:
		return &Table{}
	case TypeBucket:
		return &Bucket{}
	case TypeSecret:
		return &Secret{}
	case TypeSchedule:
		return &schedule{}
	case TypeTopic:
		return &Topic{}
	case TypeSubscription:
		return &Subscription{}
	case TypeEmailIdentity:
		return &EmailIdentity{}
	case TypeEmailTemplate:
		return &EmailTemplate{}
	case TypeConfigurationSet:
		return &ConfigurationSet{}
	case TypeContactList:
		return &ContactList{}
	case TypeMailEvents:
		return &MailEvents{}
	case TypeTaskDefinition:
		return &TaskDefinition{}
	case TypeService:
		return &Service{}
	}
	return nil
}

// types reports values of the wrong kind, as far as they show without a scope.
func (c *checker) types(t *Template) {
	for _, r := range t.Resources {
		d := &decoder{resolver: resolver{checker: c, template: t}, checkOnly: true}
		into := prototype(r.Type)
		d.decode(r.properties, reflect.ValueOf(into).Elem(), r.ID)
		if f, ok := into.(*Function); ok {
			c.limits(r, f)
			c.events(d, r, f)
		}
	}
}

// limits reports what Lambda does not take.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
func (c *checker) limits(r *Resource, f *Function) {
	if r.properties.field("CodeUri") == nil {
		c.report(r.Line, "%s has no CodeUri", r.ID)
	}
	within := func(name string, value, least, most int) {
		// Zero is what nobody said, or a reference.
		if n := r.properties.field(name); n != nil && n.kind == scalar && value != 0 && (value < least || value > most) {
			c.report(n.line, "%s.%s: %d is not within %d and %d", r.ID, name, value, least, most)
		}
	}
	within("Timeout", f.Timeout, 1, 900)
	within("MemorySize", f.MemorySize, 128, 10240)
}

func (c *checker) events(d *decoder, r *Resource, f *Function) {
	for _, name := range sortedKeys(f.Events) {
		event, path := f.Events[name], r.ID+".Events."+name
		into := eventPrototype(event.Type)
		if into == nil {
			c.report(r.Line, "%s: the event type %q is not supported", path, event.Type)
			continue
		}
		d.decode(event.Properties.node, reflect.ValueOf(into).Elem(), path)
	}
}
