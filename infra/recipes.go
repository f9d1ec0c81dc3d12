package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// siteFunction is the function behind /api. Its memory is for its share of a
// processor: checking a password takes 30 ms of a whole one.
func (c *crumb) siteFunction(api constructs.Api) {
	site := c.function("site", 10*time.Second)
	site.MemoryMiB = 512
	site.ReservedConcurrency = c.reserve(60)
	site.Environment = map[string]*string{
		settings.Table:  c.table.TableName(),
		settings.Bucket: c.bucket.BucketName(),
		settings.Secret: constructs.SecretReference(c.secret),
	}
	c.gates(&site, c.ordered)
	c.mayUse(&site, "dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem",
		"dynamodb:Query", "dynamodb:UpdateItem")
	site.Policy = append(site.Policy,
		// A batch that has not ended is counted by a query.
		constructs.Allow(c.table.TableArn(), "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"), c.claims("s3:PutObject"),
		// Downloads are led to by presigned URLs. Without ListBucket S3 answers for
		// a missing object that access is denied.
		constructs.Allow(c.bucket.ArnForObjects(jsii.String(exportsPrefix+"*")), "s3:GetObject"),
		constructs.Allow(c.bucket.ArnForObjects(jsii.String(pdfsPrefix+"*")), "s3:GetObject"),
		constructs.Allow(c.bucket.BucketArn(), "s3:ListBucket"))

	function := c.add("SiteFunction", site)
	const get, post = awsapigatewayv2.HttpMethod_GET, awsapigatewayv2.HttpMethod_POST
	const put, del = awsapigatewayv2.HttpMethod_PUT, awsapigatewayv2.HttpMethod_DELETE
	api.Route("ApiGet", get, "/api/{proxy+}", function)
	api.Route("ApiPost", post, "/api/{proxy+}", function)
	api.Route("ApiPut", put, "/api/{proxy+}", function)
	api.Route("ApiDelete", del, "/api/{proxy+}", function)
	api.Route("Export", post, "/exports", function)
	api.Route("ExportStatus", get, "/exports/{id}", function)
	api.Route("ExportFile", get, "/exports/{id}/file", function)
}
