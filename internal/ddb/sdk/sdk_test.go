package sdk_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/ddb/sdk"
)

func TestRoundTrip(t *testing.T) {
	item := map[string]types.AttributeValue{
		"s": &types.AttributeValueMemberS{Value: "x"}, "n": &types.AttributeValueMemberN{Value: "-1.5"},
		"b": &types.AttributeValueMemberB{Value: []byte{0, 255}}, "t": &types.AttributeValueMemberBOOL{Value: true},
		"z": &types.AttributeValueMemberNULL{Value: true}, "ss": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"ns": &types.AttributeValueMemberNS{Value: []string{"1", "2"}}, "bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: ""}}},
		"m": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"k": &types.AttributeValueMemberN{Value: "0"}}},
	}
	converted, err := sdk.ItemFromSDK(item)
	if err != nil {
		t.Fatal(err)
	}
	if back := sdk.ItemToSDK(converted); !reflect.DeepEqual(back, item) {
		t.Errorf("got %v, want %v", back, item)
	}
	if none, err := sdk.ItemFromSDK(nil); none != nil || err != nil || sdk.ItemToSDK(nil) != nil {
		t.Errorf("nil: %v, %v", none, err)
	}
}

func TestRefused(t *testing.T) {
	for _, value := range []types.AttributeValue{
		nil,
		&types.AttributeValueMemberN{Value: "x"},
		&types.AttributeValueMemberNULL{Value: false},
		&types.AttributeValueMemberSS{},
		&types.AttributeValueMemberNS{Value: []string{"1", "1.0"}},
		&types.AttributeValueMemberL{Value: []types.AttributeValue{nil}},
		&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"k": nil}},
	} {
		var invalid *ddb.ValidationError
		if got, err := sdk.FromSDK(value); !errors.As(err, &invalid) {
			t.Errorf("%#v: %v, %v", value, got, err)
		}
	}
}
