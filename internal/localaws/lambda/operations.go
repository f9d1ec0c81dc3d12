package lambda

import (
	"context"
	"strconv"
	"strings"
)

// Limits of a mapping's MaximumConcurrency.
// https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html
const (
	leastConcurrency = 2
	mostConcurrency  = 1000
)

// pageSize is the most mappings of one answer, and largestPage what may be asked for.
// https://docs.aws.amazon.com/lambda/latest/api/API_ListEventSourceMappings.html
const (
	pageSize    = 100
	largestPage = 10_000
)

// document is a mapping as AWS shows it.
func (db *DB) document(m Mapping, r row) map[string]any {
	state, _ := db.state(r)
	shown := map[string]any{}
	for name, value := range m.Details {
		shown[name] = value
	}
	shown["UUID"] = m.UUID
	shown["EventSourceArn"] = m.EventSourceARN
	shown["EventSourceMappingArn"] = "arn:aws:lambda:" + db.cfg.Region + ":" + db.cfg.AccountID + ":event-source-mapping:" + m.UUID
	shown["FunctionArn"] = m.FunctionARN
	shown["State"] = state
	shown["StateTransitionReason"] = "USER_INITIATED"
	shown["LastModified"] = float64(r.Changed.UnixMilli()) / 1000
	if most := r.Setting.MaximumConcurrency; most != 0 {
		shown["ScalingConfig"] = map[string]any{"MaximumConcurrency": most}
	}
	return shown
}

func (db *DB) get(_ context.Context, c call) (any, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	m, err := db.find(c.uuid)
	if err != nil {
		return nil, err
	}
	return db.document(m, db.rows[c.uuid]), nil
}

func (db *DB) list(_ context.Context, c call) (any, error) {
	most := pageSize
	if text := c.query("MaxItems"); text != "" {
		asked, err := strconv.Atoi(text)
		if err != nil || asked < 1 || asked > largestPage {
			return nil, invalid("1 validation error detected: Value '%s' at 'maxItems' failed to satisfy constraint: Member must have value between 1 and %d", text, largestPage)
		}
		most = min(most, asked)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	page := struct {
		EventSourceMappings []map[string]any
		NextMarker          *string `json:",omitempty"`
	}{EventSourceMappings: []map[string]any{}}
	last := ""
	for _, m := range db.mappings {
		source, function := c.query("EventSourceArn"), c.query("FunctionName")
		if m.UUID <= c.query("Marker") || source != "" && source != m.EventSourceARN || function != "" && !names(function, m.FunctionARN) {
			continue
		}
		if len(page.EventSourceMappings) == most {
			page.NextMarker = &last
			break
		}
		last = m.UUID
		page.EventSourceMappings = append(page.EventSourceMappings, db.document(m, db.rows[m.UUID]))
	}
	return page, nil
}

// names tells whether a name is a function's: its ARN, a part of that, or its name.
func names(name, arn string) bool {
	parts := strings.Split(arn, ":")
	bare := parts[len(parts)-1]
	name = strings.TrimSuffix(name, ":$LATEST")
	return name == arn || name == bare || strings.HasSuffix(arn, ":"+name) && strings.HasSuffix(name, ":function:"+bare)
}

// A changeInput is the body of UpdateEventSourceMapping. Members that are not here are
// refused: they would be lost without a word.
type changeInput struct {
	Enabled       *bool
	ScalingConfig *struct{ MaximumConcurrency *int }
	// FunctionName may be the function's own.
	FunctionName *string
}

func (db *DB) change(_ context.Context, c call) (any, error) {
	var in changeInput
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	db.mu.Lock()
	m, err := db.find(c.uuid)
	db.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if in.FunctionName != nil && !names(*in.FunctionName, m.FunctionARN) {
		return nil, invalidParameter("The local endpoint does not give a mapping to another function.")
	}
	if err := in.check(m); err != nil {
		return nil, err
	}
	return db.update(c.uuid, func(s *Setting) error {
		if in.Enabled != nil {
			s.Enabled = *in.Enabled
		}
		if in.ScalingConfig != nil {
			s.MaximumConcurrency = 0 // an empty one removes the bound
			if most := in.ScalingConfig.MaximumConcurrency; most != nil {
				s.MaximumConcurrency = *most
			}
		}
		return nil
	})
}

func (in changeInput) check(m Mapping) error {
	if in.ScalingConfig == nil {
		return nil
	}
	if !strings.HasPrefix(m.EventSourceARN, "arn:aws:sqs:") {
		return invalidParameter("Scaling config is only supported for SQS event sources.")
	}
	switch most := in.ScalingConfig.MaximumConcurrency; {
	case most == nil:
	case *most < leastConcurrency:
		return invalid("1 validation error detected: Value '%d' at 'scalingConfig.maximumConcurrency' failed to satisfy constraint: Member must have value greater than or equal to %d", *most, leastConcurrency)
	case *most > mostConcurrency:
		return invalid("1 validation error detected: Value '%d' at 'scalingConfig.maximumConcurrency' failed to satisfy constraint: Member must have value less than or equal to %d", *most, mostConcurrency)
	}
	return nil
}
