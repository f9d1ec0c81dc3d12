// Package sdk converts between the values of package ddb and those of the AWS
// SDK's DynamoDB client, which package ddb itself does not need.
package sdk

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// FromSDK converts one value. It fails with a *ddb.ValidationError for what
// DynamoDB would refuse: bad numbers, empty sets, sets with duplicates, nil.
func FromSDK(value types.AttributeValue) (ddb.Value, error) {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return ddb.S(v.Value), nil
	case *types.AttributeValueMemberN:
		return number(v.Value)
	case *types.AttributeValueMemberB:
		return ddb.B(v.Value), nil
	case *types.AttributeValueMemberBOOL:
		return ddb.Bool(v.Value), nil
	case *types.AttributeValueMemberNULL:
		if !v.Value {
			return ddb.Value{}, ddb.Invalidf("One or more parameter values were invalid: Null attribute value types must have the value of true")
		}
		return ddb.Null(), nil
	case *types.AttributeValueMemberL:
		members, err := each(v.Value, FromSDK)
		return ddb.L(members...), err
	case *types.AttributeValueMemberM:
		fields, err := ItemFromSDK(v.Value)
		return ddb.M(fields), err
	case *types.AttributeValueMemberSS:
		return set(v.Value, func(s string) (ddb.Value, error) { return ddb.S(s), nil })
	case *types.AttributeValueMemberNS:
		return set(v.Value, number)
	case *types.AttributeValueMemberBS:
		return set(v.Value, func(b []byte) (ddb.Value, error) { return ddb.B(b), nil })
	default:
		return ddb.Value{}, ddb.Invalidf("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
	}
}

func number(text string) (ddb.Value, error) {
	n, err := ddb.ParseNumber(text)
	return ddb.N(n), err
}

func set[T any](members []T, convert func(T) (ddb.Value, error)) (ddb.Value, error) {
	values, err := each(members, convert)
	if err != nil {
		return ddb.Value{}, err
	}
	return ddb.Set(values...)
}

func each[T any](members []T, convert func(T) (ddb.Value, error)) ([]ddb.Value, error) {
	values := make([]ddb.Value, len(members))
	for i, member := range members {
		var err error
		if values[i], err = convert(member); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// ItemFromSDK converts an item, with FromSDK's errors. A nil map stays nil.
func ItemFromSDK(item map[string]types.AttributeValue) (ddb.Item, error) {
	if item == nil {
		return nil, nil
	}
	out := make(ddb.Item, len(item))
	for name, value := range item {
		converted, err := FromSDK(value)
		if err != nil {
			return nil, fmt.Errorf("sdk: converting the attribute %q: %w", name, err)
		}
		out[name] = converted
	}
	return out, nil
}

// ToSDK converts one value; the zero Value becomes nil.
func ToSDK(value ddb.Value) types.AttributeValue {
	switch value.Kind() {
	case ddb.KindS:
		return &types.AttributeValueMemberS{Value: value.Str()}
	case ddb.KindN:
		return &types.AttributeValueMemberN{Value: value.Number().String()}
	case ddb.KindB:
		return &types.AttributeValueMemberB{Value: value.Bytes()}
	case ddb.KindBOOL:
		return &types.AttributeValueMemberBOOL{Value: value.Bool()}
	case ddb.KindNULL:
		return &types.AttributeValueMemberNULL{Value: true}
	case ddb.KindL:
		return &types.AttributeValueMemberL{Value: back(value, ToSDK)}
	case ddb.KindM:
		return &types.AttributeValueMemberM{Value: ItemToSDK(value.Map())}
	case ddb.KindSS:
		return &types.AttributeValueMemberSS{Value: back(value, ddb.Value.Str)}
	case ddb.KindNS:
		return &types.AttributeValueMemberNS{Value: back(value, func(v ddb.Value) string { return v.Number().String() })}
	case ddb.KindBS:
		return &types.AttributeValueMemberBS{Value: back(value, ddb.Value.Bytes)}
	default:
		return nil
	}
}

func back[T any](value ddb.Value, convert func(ddb.Value) T) []T {
	out := make([]T, len(value.List()))
	for i, member := range value.List() {
		out[i] = convert(member)
	}
	return out
}

// ItemToSDK converts an item. A nil item stays nil.
func ItemToSDK(item ddb.Item) map[string]types.AttributeValue {
	if item == nil {
		return nil
	}
	out := make(map[string]types.AttributeValue, len(item))
	for name, value := range item {
		out[name] = ToSDK(value)
	}
	return out
}
