package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// newSiteTable makes the site's own table: recipes, readers, whatever is not a
// job. It has no stream: what follows from its rows is written with them, to the
// jobs table, in one transaction.
func newSiteTable(stack awscdk.Stack, id string) awsdynamodb.Table {
	attribute := func(name string) *awsdynamodb.Attribute {
		return &awsdynamodb.Attribute{Name: jsii.String(name), Type: awsdynamodb.AttributeType_STRING}
	}
	return awsdynamodb.NewTable(stack, jsii.String(id), &awsdynamodb.TableProps{
		PartitionKey:        attribute(store.PartitionKey),
		SortKey:             attribute(store.SortKey),
		BillingMode:         awsdynamodb.BillingMode_PAY_PER_REQUEST,
		TimeToLiveAttribute: jsii.String(rows.Expires),
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(true),
			RecoveryPeriodInDays:       jsii.Number(35),
		},
		DeletionProtection: jsii.Bool(true),
		RemovalPolicy:      awscdk.RemovalPolicy_RETAIN,
	})
}

// mayUse gives a function the site's table: its name, and the right to do this
// with its rows ("dynamodb:GetItem").
func (c *crumb) mayUse(function *constructs.FunctionProps, actions ...string) {
	if function.Environment == nil {
		function.Environment = map[string]*string{}
	}
	function.Environment[rows.Setting] = c.site.TableName()
	function.Policy = append(function.Policy, constructs.Allow(c.site.TableArn(), actions...))
}
