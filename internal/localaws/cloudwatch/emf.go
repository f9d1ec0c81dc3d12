package cloudwatch

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Limits of the embedded metric format; see
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html.
const (
	maxEmbedded       = 100
	maxEmbeddedValues = 100
)

// A directive says which members of its document are metrics.
type directive struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []struct{ Name, Unit string }
}

// Ingest takes a line of a function's log, as CloudWatch Logs does: when it is a document in
// the embedded metric format its metrics are kept, and the answer is true. What is
// wrong with such a document is told to Config.Log; CloudWatch drops it in silence, but
// for its metric EMFValidationErrors.
func (db *DB) Ingest(source, line string) bool {
	begin := strings.IndexByte(line, '{')
	if begin < 0 || !strings.Contains(line, `"_aws"`) || !strings.Contains(line, `"CloudWatchMetrics"`) {
		return false
	}
	var members map[string]json.RawMessage
	var meta struct {
		Timestamp         *int64
		CloudWatchMetrics []directive
	}
	// Lambda may put the time and the request before the document.
	if json.Unmarshal([]byte(line[begin:]), &members) != nil || members["_aws"] == nil {
		return false
	}
	if err := json.Unmarshal(members["_aws"], &meta); err != nil || meta.Timestamp == nil {
		db.config.Log(fmt.Sprintf("%s: no metrics come of a line whose _aws is %.200s", source, members["_aws"]))
		return true
	}
	at := time.UnixMilli(*meta.Timestamp)
	now := db.config.Now()
	if at.Before(now.Add(-longestAgo)) || at.After(now.Add(longestAhead)) {
		db.config.Log(fmt.Sprintf("%s: no metrics come of a line of %v: it is more than two weeks old, or two hours ahead", source, at.UTC()))
		return true
	}
	for _, d := range meta.CloudWatchMetrics {
		if err := db.follow(d, members, at); err != nil {
			db.config.Log(fmt.Sprintf("%s: metrics were dropped: %v", source, err))
		}
	}
	return true
}

// follow keeps the metrics of a directive, for each of its sets of dimensions.
func (db *DB) follow(d directive, members map[string]json.RawMessage, at time.Time) error {
	if d.Namespace == "" || len(d.Metrics) > maxEmbedded {
		return fmt.Errorf("the namespace is %q, and there are %d metrics of at most %d", d.Namespace, len(d.Metrics), maxEmbedded)
	}
	sets := make([]string, len(d.Dimensions))
	for i, names := range d.Dimensions {
		if len(names) > maxDimensions {
			return fmt.Errorf("there are %d dimensions of at most %d", len(names), maxDimensions)
		}
		set := make([]dimension, len(names))
		for j, name := range names {
			set[j].Name = name
			if json.Unmarshal(members[name], &set[j].Value) != nil || set[j].Value == "" {
				return fmt.Errorf("the dimension %q has no value", name)
			}
		}
		sets[i] = canonical(set)
	}
	for _, m := range d.Metrics {
		measured, err := embedded(members[m.Name])
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		for _, set := range sets {
			db.add(key{d.Namespace, m.Name, set, unitOr(m.Unit)}, at, measured)
		}
	}
	return nil
}

// embedded reads a number or an array of numbers.
func embedded(member json.RawMessage) (set data, err error) {
	list := []byte(member)
	if len(list) == 0 || list[0] != '[' {
		list = fmt.Appendf(nil, "[%s]", member)
	}
	var values []*float64 // nil for null
	if json.Unmarshal(list, &values) != nil || slices.Contains(values, nil) {
		return set, fmt.Errorf("neither a number nor an array of numbers: %.40q", string(member))
	}
	if len(member) == 0 || len(values) > maxEmbeddedValues {
		return set, fmt.Errorf("%d values; it has to have one, and at most %d", len(values), maxEmbeddedValues)
	}
	for _, v := range values {
		if math.Abs(*v) > greatest {
			return set, fmt.Errorf("the value %v is too great", *v)
		}
		set.add(of(*v, 1))
	}
	return set, nil
}
