// Package streamimage gives rows as Lambda's events of a table's stream have them,
// for simulated streams.
package streamimage

import (
	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Of gives a row's image; nil where there is no row. Rows of the jobs table have
// texts, numbers, booleans and maps; attributes of other types are left out.
func Of(item map[string]types.AttributeValue) map[string]events.DynamoDBAttributeValue {
	if item == nil {
		return nil
	}
	image := make(map[string]events.DynamoDBAttributeValue, len(item))
	for name, av := range item {
		switch v := av.(type) {
		case *types.AttributeValueMemberS:
			image[name] = events.NewStringAttribute(v.Value)
		case *types.AttributeValueMemberN:
			image[name] = events.NewNumberAttribute(v.Value)
		case *types.AttributeValueMemberBOOL:
			image[name] = events.NewBooleanAttribute(v.Value)
		case *types.AttributeValueMemberM:
			image[name] = events.NewMapAttribute(Of(v.Value))
		}
	}
	return image
}
