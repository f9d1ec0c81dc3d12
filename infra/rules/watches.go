package rules

// named is the resource to which a setting of any function or container refers.
func (t *template) named(setting string) *resource {
	for _, function := range t.of("AWS::Lambda::Function") {
		if r := t.target(function.at("Environment", "Variables", setting)); r != nil {
			return r
		}
	}
	for _, task := range t.of("AWS::ECS::TaskDefinition") {
		if r := t.target(environmentOf(task, setting)); r != nil {
			return r
		}
	}
	return nil
}

// alarmsOn are the alarms that look at a metric, in one or in all of its forms, of a
// thing: a resource of the template or a name.
func (t *template) alarmsOn(metric string, of any) []*resource {
	var found []*resource
	for _, alarm := range t.of("AWS::CloudWatch::Alarm") {
		if t.looksAt(alarm, metric, of) {
			found = append(found, alarm)
			continue
		}
		for _, part := range alarm.list("Metrics") {
			object, _ := part.(map[string]any)
			stat, _ := (&resource{Properties: object}).at("MetricStat", "Metric").(map[string]any)
			if t.looksAt(&resource{Properties: stat}, metric, of) {
				found = append(found, alarm)
				break
			}
		}
	}
	return found
}

func (t *template) looksAt(r *resource, metric string, of any) bool {
	if r.at("MetricName") != metric {
		return false
	}
	for _, element := range r.list("Dimensions") {
		dimension, _ := element.(map[string]any)
		switch of := of.(type) {
		case *resource:
			if of != nil && t.target(dimension["Value"]) == of {
				return true
			}
		case string:
			if dimension["Value"] == of {
				return true
			}
		}
	}
	return false
}

// wantAlarm reports where no alarm looks at a metric of a resource, or at another
// threshold.
func (p planned) wantAlarm(t *template, report report, metric string, of *resource, threshold float64) {
	alarms := t.alarmsOn(metric, of)
	if len(alarms) == 0 {
		report(of.id, "no alarm looks at its %s", metric)
	}
	for _, alarm := range alarms {
		sameNumber(report, alarm, threshold, "Threshold")
	}
}

// formula is what an alarm reckons of metrics, and their period in seconds.
func formula(alarm *resource) (expression string, period float64) {
	for _, element := range alarm.list("Metrics") {
		object, _ := element.(map[string]any)
		metric := &resource{Properties: object}
		if text, ok := metric.at("Expression").(string); ok {
			expression = text
		}
		if n, ok := metric.number("MetricStat", "Period"); ok {
			period = n
		}
	}
	return expression, period
}

// sameNumber reports a property that is not the plan's number.
func sameNumber(report report, r *resource, want float64, path ...string) {
	if got, ok := r.number(path...); !ok || got != want {
		report(r.id, "%s is %v: the plan's is %v", path[len(path)-1], r.at(path...), want)
	}
}
