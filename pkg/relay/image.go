package relay

import (
	"errors"
	"fmt"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// newlyAsking gives the new image of a row that asks to be published and did not
// before; nil for every other. The mapping's filter sees the new image only: it
// can't tell that an earlier record asked for the same publication.
func newlyAsking(record events.DynamoDBEventRecord) (store.Item, error) {
	n, asks := publication(record.Change.NewImage)
	if before, asked := publication(record.Change.OldImage); !asks || asked && before == n {
		return nil, nil
	}
	return item(record.Change.NewImage)
}

// publication gives the number of the publication that an image asks for.
func publication(image map[string]events.DynamoDBAttributeValue) (n string, asks bool) {
	publish, ok := image[store.Publish]
	if !ok || publish.DataType() != events.DataTypeMap {
		return "", false
	}
	number, ok := publish.Map()["n"]
	if !ok || number.DataType() != events.DataTypeNumber {
		return "", false
	}
	return number.Number(), true
}

// item converts an image of the event into what the SDK has for rows.
func item(image map[string]events.DynamoDBAttributeValue) (store.Item, error) {
	converted := make(store.Item, len(image))
	for name, av := range image {
		v, err := value(av)
		if err != nil {
			return nil, fmt.Errorf("relay: attribute %q: %w", name, err)
		}
		converted[name] = v
	}
	return converted, nil
}

func value(av events.DynamoDBAttributeValue) (types.AttributeValue, error) {
	if av == (events.DynamoDBAttributeValue{}) {
		return nil, errors.New("it has no value") // JSON null, or {}
	}
	switch av.DataType() {
	case events.DataTypeString:
		return &types.AttributeValueMemberS{Value: av.String()}, nil
	case events.DataTypeNumber:
		return &types.AttributeValueMemberN{Value: av.Number()}, nil
	case events.DataTypeBoolean:
		return &types.AttributeValueMemberBOOL{Value: av.Boolean()}, nil
	case events.DataTypeNull:
		return &types.AttributeValueMemberNULL{Value: true}, nil
	case events.DataTypeBinary:
		return &types.AttributeValueMemberB{Value: av.Binary()}, nil
	case events.DataTypeStringSet:
		return &types.AttributeValueMemberSS{Value: av.StringSet()}, nil
	case events.DataTypeNumberSet:
		return &types.AttributeValueMemberNS{Value: av.NumberSet()}, nil
	case events.DataTypeBinarySet:
		return &types.AttributeValueMemberBS{Value: av.BinarySet()}, nil
	case events.DataTypeList:
		list := make([]types.AttributeValue, 0, len(av.List()))
		for _, element := range av.List() {
			v, err := value(element)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return &types.AttributeValueMemberL{Value: list}, nil
	case events.DataTypeMap:
		m, err := item(av.Map())
		return &types.AttributeValueMemberM{Value: m}, err
	}
	return nil, fmt.Errorf("type %v is unknown", av.DataType())
}
