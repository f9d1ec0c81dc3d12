package cloudwatch

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// A timestamp is seconds since 1970 on the wire, with fractions.
type timestamp struct{ time.Time }

// MarshalJSON writes the seconds.
func (t timestamp) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, t.seconds(), 'f', -1, 64), nil
}

func (t timestamp) seconds() float64 { return float64(t.UnixMilli()) / 1000 }

// UnmarshalJSON reads the seconds.
func (t *timestamp) UnmarshalJSON(data []byte) error {
	var seconds float64
	if err := json.Unmarshal(data, &seconds); err != nil {
		return err
	}
	t.Time = time.UnixMilli(int64(math.Round(seconds * 1000))).UTC()
	return nil
}
