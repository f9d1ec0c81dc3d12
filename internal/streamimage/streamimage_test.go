package streamimage_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/streamimage"
)

func TestOf(t *testing.T) {
	if streamimage.Of(nil) != nil {
		t.Error("no row has an image")
	}
	image := streamimage.Of(map[string]types.AttributeValue{
		"id": &types.AttributeValueMemberS{Value: "a"}, "n": &types.AttributeValueMemberN{Value: "7"},
		"alone":   &types.AttributeValueMemberBOOL{Value: true},
		"publish": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"to": &types.AttributeValueMemberS{Value: "queue:notes"}}},
	})
	if len(image) != 4 || image["id"].String() != "a" || image["n"].Number() != "7" || !image["alone"].Boolean() || image["publish"].Map()["to"].String() != "queue:notes" {
		t.Errorf("image %v", image)
	}
}
