package rules

import "strings"

// A mapping is an event source mapping with what it joins, each nil if it is
// not in the template.
type mapping struct {
	*resource
	source   *resource
	function *resource
}

func (t *template) mappings() []mapping {
	var found []mapping
	for _, r := range t.of("AWS::Lambda::EventSourceMapping") {
		found = append(found, mapping{r, t.target(r.at("EventSourceArn")), t.target(r.at("FunctionName"))})
	}
	return found
}

func (m mapping) fromQueue() bool { return m.source != nil && m.source.Type == "AWS::SQS::Queue" }

func (m mapping) fromTable() bool { return m.source != nil && m.source.Type == "AWS::DynamoDB::Table" }

func (m mapping) fromStream() bool {
	return m.fromTable() || m.source != nil && m.source.Type == "AWS::Kinesis::Stream"
}

func (m mapping) window() float64 { return m.numberOr(0, "MaximumBatchingWindowInSeconds") }

func (m mapping) isFIFO() bool {
	fifo, _ := m.source.at("FifoQueue").(bool)
	return fifo
}

// each makes a check of all mappings from a check of one.
func each(check func(t *template, m mapping, report report)) func(*template, report) {
	return func(t *template, report report) {
		for _, m := range t.mappings() {
			check(t, m, report)
		}
	}
}

// onStreamsOnly are the settings that mean nothing to a queue.
var onStreamsOnly = []string{
	"BisectBatchOnFunctionError", "StartingPosition", "StartingPositionTimestamp", "ParallelizationFactor",
	"MaximumRetryAttempts", "MaximumRecordAgeInSeconds", "TumblingWindowInSeconds",
}

var mappingRules = []Rule{{
	ID:   "batch-window",
	Says: "More than ten messages in a batch need a batching window.",
	check: each(func(_ *template, m mapping, report report) {
		if size := m.numberOr(10, "BatchSize"); m.fromQueue() && size > 10 && m.window() < 1 {
			report(m.id, "BatchSize is %v without MaximumBatchingWindowInSeconds", size)
		}
	}),
}, {
	ID:   "fifo-window",
	Says: "A FIFO queue has no batching window.",
	check: each(func(_ *template, m mapping, report report) {
		if m.fromQueue() && m.isFIFO() && m.window() > 0 {
			report(m.id, "MaximumBatchingWindowInSeconds is %v on the FIFO queue %s", m.window(), m.source.id)
		}
	}),
}, {
	ID:   "stream-setting",
	Says: "A mapping of a queue takes no setting that is for streams.",
	check: each(func(_ *template, m mapping, report report) {
		for _, setting := range onStreamsOnly {
			if m.fromQueue() && m.at(setting) != nil {
				report(m.id, "%s is for streams, and %s is a queue", setting, m.source.id)
			}
		}
	}),
}, {
	ID:   "starting-position",
	Says: "A mapping of a stream says where it starts.",
	check: each(func(_ *template, m mapping, report report) {
		if m.fromStream() && m.at("StartingPosition") == nil {
			report(m.id, "StartingPosition is missing")
		}
	}),
}, {
	ID:   "stream-off",
	Says: "A table that feeds a function has its stream on.",
	check: each(func(_ *template, m mapping, report report) {
		if m.fromTable() && m.source.at("StreamSpecification", "StreamViewType") == nil {
			report(m.source.id, "%s reads its stream, and it has none", m.id)
		}
	}),
}, {
	ID:   "two-scalings",
	Says: "ScalingConfig and ProvisionedPollerConfig exclude one another.",
	check: each(func(_ *template, m mapping, report report) {
		if m.at("ScalingConfig") != nil && m.at("ProvisionedPollerConfig") != nil {
			report(m.id, "has both ScalingConfig and ProvisionedPollerConfig")
		}
	}),
}, {
	ID:    "reserved-concurrency",
	Says:  "A function's reserved concurrency is as much as its queues' MaximumConcurrency together, or its deliveries are throttled.",
	check: checkReserved,
}}

func checkReserved(t *template, report report) {
	wanted := map[string]float64{}
	from := map[string][]string{}
	for _, m := range t.mappings() {
		if n, ok := m.number("ScalingConfig", "MaximumConcurrency"); ok && m.function != nil {
			wanted[m.function.id] += n
			from[m.function.id] = append(from[m.function.id], m.id)
		}
	}
	for _, function := range t.of("AWS::Lambda::Function") {
		reserved, ok := function.number("ReservedConcurrentExecutions")
		if ok && wanted[function.id] > reserved {
			report(function.id, "reserves %v, and %s may use %v", reserved, strings.Join(from[function.id], " and "), wanted[function.id])
		}
	}
}
