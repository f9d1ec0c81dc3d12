package relay

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/ddb/sdk"
)

// A row is the same whether it is read from the table or from the stream's event.
func FuzzImage(f *testing.F) {
	for _, seed := range []string{
		`{"pk":{"S":"job#x"},"n":{"N":"9007199254740993"},"publish":{"M":{"to":{"S":"queue:a"},"n":{"N":"1"}}}}`,
		`{"a":{"N":"12345678901234567890123456789012345678"},"b":{"N":"-0.1e-20"},"c":{"B":"AP8="},"d":{"BOOL":false},"e":{"NULL":true}}`,
		`{"l":{"L":[{"L":[]},{"M":{}},{"SS":["a","b"]},{"NS":["1","2"]},{"BS":["AA==","AQ=="]},{"S":""},{"B":""}]}}`,
		`{"":{"S":"\u0000\uffff😀"},"é":{"S":"\ud83d\ude00"}}`, `{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want ddb.Item
		if json.Unmarshal(data, &want) != nil || want == nil {
			return
		}
		written, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var image map[string]events.DynamoDBAttributeValue
		if err := json.Unmarshal(written, &image); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		converted, err := item(image)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		got, err := sdk.ItemFromSDK(converted)
		if err != nil || !ddb.EqualItems(got, want) {
			t.Errorf("%s became %v, %v", written, got, err)
		}
	})
}

// Numbers keep the very digits that the event has: no float is made of them.
func TestNumbersKeepTheirDigits(t *testing.T) {
	for _, digits := range []string{"9007199254740993", "1152921504606846977", "-9223372036854775808", "1.0", "0.10", "1E+2", "12345678901234567890123456789012345678"} {
		var av events.DynamoDBAttributeValue
		if err := json.Unmarshal([]byte(`{"L":[{"N":"`+digits+`"},{"NS":["`+digits+`"]}]}`), &av); err != nil {
			t.Fatal(err)
		}
		converted, err := value(av)
		if err != nil {
			t.Fatal(err)
		}
		list := converted.(*types.AttributeValueMemberL).Value
		if got := list[0].(*types.AttributeValueMemberN).Value; got != digits {
			t.Errorf("%s became %s", digits, got)
		}
		if got := list[1].(*types.AttributeValueMemberNS).Value; got[0] != digits {
			t.Errorf("%s in a set became %s", digits, got)
		}
	}
}
