package rules

const (
	leastReceives        = 5
	defaultRetention     = 345600
	defaultVisibility    = 30
	defaultTimeout       = 3
	visibilityPerTimeout = 6
)

var queueRules = []Rule{{
	ID:   "receives",
	Says: "maxReceiveCount is at least 5: throttled deliveries use it up without any attempt.",
	check: func(t *template, report report) {
		for _, queue := range t.of("AWS::SQS::Queue") {
			if n, ok := queue.number("RedrivePolicy", "maxReceiveCount"); ok && n < leastReceives {
				report(queue.id, "maxReceiveCount is %v: less than %d", n, leastReceives)
			}
		}
	},
}, {
	ID:   "retention",
	Says: "A dead-letter queue keeps messages as long as its source at least: a moved message keeps its age.",
	check: func(t *template, report report) {
		for _, queue := range t.of("AWS::SQS::Queue") {
			letters := t.target(queue.at("RedrivePolicy", "deadLetterTargetArn"))
			if letters == nil {
				continue
			}
			source := queue.numberOr(defaultRetention, "MessageRetentionPeriod")
			if kept := letters.numberOr(defaultRetention, "MessageRetentionPeriod"); kept < source {
				report(letters.id, "keeps messages for %v s, its source %s for %v s", kept, queue.id, source)
			}
		}
	},
}, {
	ID:   "visibility",
	Says: "A queue's visibility timeout is six function timeouts and the batching window, so that Lambda can retry a throttled batch.",
	check: func(t *template, report report) {
		for _, m := range t.mappings() {
			if !m.fromQueue() || m.function == nil {
				continue
			}
			least := visibilityPerTimeout*m.function.numberOr(defaultTimeout, "Timeout") + m.window()
			if visibility := m.source.numberOr(defaultVisibility, "VisibilityTimeout"); visibility < least {
				report(m.source.id, "the visibility timeout is %v s: with %s it should be %v s", visibility, m.function.id, least)
			}
		}
	},
}}
