package rules

var alarmRules = []Rule{{
	ID:   "datapoints",
	Says: "An alarm cannot want more data points than it looks at.",
	check: func(t *template, report report) {
		for _, alarm := range t.of("AWS::CloudWatch::Alarm") {
			wanted, ok := alarm.number("DatapointsToAlarm")
			if periods := alarm.numberOr(1, "EvaluationPeriods"); ok && wanted > periods {
				report(alarm.id, "DatapointsToAlarm is %v of EvaluationPeriods %v", wanted, periods)
			}
		}
	},
}}
