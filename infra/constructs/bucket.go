package constructs

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
)

// The prefixes of the objects bucket.
const (
	// UploadsPrefix holds what clients send by presigned PUT, for a week.
	UploadsPrefix = "uploads/"
	// ClaimsPrefix holds arguments and results that are too large for a job's
	// row. No rule lets them expire, since jobs may be planned for a year ahead:
	// the sweep deletes what no row names.
	ClaimsPrefix = claimcheck.Prefix
	// OncePrefix holds answers of effects that are done once (package idempotency)
	// and too large for their records. They go a day after the records, which are
	// kept for idempotency.DefaultRetention; whoever sets a longer Retention there
	// needs a longer rule.
	OncePrefix = idempotency.ObjectPrefix
	// DiscardedPrefix holds stream records that the relay's mapping gave up,
	// for 30 days. Lambda fixes it: a bucket as a destination takes no prefix.
	// https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
	DiscardedPrefix = "aws/lambda/"
)

// NewObjectsBucket makes the bucket that jobs work on: private, encrypted, TLS
// only, kept when the stack goes. Browsers of any origin may use presigned URLs
// on it: the signature is what protects an object, and there are no cookies.
func NewObjectsBucket(scope core.Construct, id string) awss3.Bucket {
	return awss3.NewBucket(scope, jsii.String(id), &awss3.BucketProps{
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		Encryption:        awss3.BucketEncryption_S3_MANAGED,
		EnforceSSL:        jsii.Bool(true),
		RemovalPolicy:     awscdk.RemovalPolicy_RETAIN,
		Cors: &[]*awss3.CorsRule{{
			AllowedMethods: &[]awss3.HttpMethods{awss3.HttpMethods_GET, awss3.HttpMethods_HEAD, awss3.HttpMethods_PUT},
			AllowedOrigins: jsii.Strings("*"),
			AllowedHeaders: jsii.Strings("*"),
			ExposedHeaders: jsii.Strings("ETag"),
			MaxAge:         jsii.Number(3600),
		}},
		LifecycleRules: &[]*awss3.LifecycleRule{
			expire("uploads", UploadsPrefix, 7),
			expire("once", OncePrefix, int(idempotency.DefaultRetention/(24*time.Hour))+1),
			expire("discarded", DiscardedPrefix, 30),
			{Id: jsii.String("unfinished"), AbortIncompleteMultipartUploadAfter: days(1)},
		},
	})
}

// NewKeySecret makes the secret under which a job's id is made from a client's
// idempotency key, so that nobody can guess the id of another's job. It is kept
// when the stack goes, as the jobs are.
func NewKeySecret(scope core.Construct, id string) awssecretsmanager.Secret {
	return awssecretsmanager.NewSecret(scope, jsii.String(id), &awssecretsmanager.SecretProps{
		Description: jsii.String("Makes the ids of jobs from idempotency keys."),
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			PasswordLength:     jsii.Number(64),
			ExcludePunctuation: jsii.Bool(true),
		},
		RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
	})
}

// SecretReference is a value for an environment variable that CloudFormation
// replaces by the secret when it deploys the function:
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references-secretsmanager.html
// Whoever may read the function's configuration can read it there; in return a
// function starts without a call to Secrets Manager.
func SecretReference(secret awssecretsmanager.ISecret) *string {
	return secret.SecretValue().UnsafeUnwrap()
}

func expire(id, prefix string, after int) *awss3.LifecycleRule {
	return &awss3.LifecycleRule{Id: jsii.String(id), Prefix: jsii.String(prefix), Expiration: days(after)}
}

func days(n int) awscdk.Duration { return awscdk.Duration_Days(jsii.Number(n)) }
