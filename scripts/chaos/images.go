package main

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// rowOf turns a stream's image into a row: the SDK has the same values twice. nil
// where there is no image.
func rowOf(image map[string]streams.AttributeValue) (store.Item, error) {
	if image == nil {
		return nil, nil
	}
	row := store.Item{}
	for name, value := range image {
		v, err := valueOf(value)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		row[name] = v
	}
	return row, nil
}

func valueOf(value streams.AttributeValue) (types.AttributeValue, error) {
	switch v := value.(type) {
	case *streams.AttributeValueMemberS:
		return &types.AttributeValueMemberS{Value: v.Value}, nil
	case *streams.AttributeValueMemberN:
		return &types.AttributeValueMemberN{Value: v.Value}, nil
	case *streams.AttributeValueMemberBOOL:
		return &types.AttributeValueMemberBOOL{Value: v.Value}, nil
	case *streams.AttributeValueMemberM:
		m, err := rowOf(v.Value)
		return &types.AttributeValueMemberM{Value: m}, err
	}
	return nil, fmt.Errorf("no job's row holds a %T", value)
}
