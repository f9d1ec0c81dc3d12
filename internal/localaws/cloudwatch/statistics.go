package cloudwatch

import "context"

// maxPoints is how many points one call of GetMetricStatistics may ask for.
const maxPoints = 1440

type statisticsInput struct {
	Namespace, MetricName          string
	Dimensions                     []dimension
	StartTime, EndTime             *timestamp
	Period                         int
	Statistics, ExtendedStatistics []string
	Unit                           string
}

type datapoint struct {
	Timestamp                                   timestamp
	SampleCount, Sum, Average, Minimum, Maximum *float64           `json:",omitempty"`
	ExtendedStatistics                          map[string]float64 `json:",omitempty"`
	Unit                                        string
}

type statisticsOutput struct {
	Label      string
	Datapoints []datapoint
}

// getMetricStatistics answers with the periods in which something was measured.
func (db *DB) getMetricStatistics(_ context.Context, in *statisticsInput) (*statisticsOutput, error) {
	if in.Namespace == "" {
		return nil, missing("Namespace")
	}
	if in.MetricName == "" {
		return nil, missing("MetricName")
	}
	w, refused := newWindow(in.StartTime, in.EndTime, in.Period)
	switch {
	case refused != nil:
		return nil, refused
	case w.periods() > maxPoints:
		return nil, contradiction("You have requested up to %d datapoints, which exceeds the limit of %d. You may reduce the datapoints requested by increasing Period, or decreasing the time range.", w.periods(), maxPoints)
	case len(in.Statistics)+len(in.ExtendedStatistics) == 0:
		return nil, contradiction("At least one of the parameters Statistics and ExtendedStatistics must be specified.")
	case len(in.Statistics) > 0 && len(in.ExtendedStatistics) > 0:
		return nil, contradiction("The parameters Statistics and ExtendedStatistics can't be specified together.")
	}
	for _, name := range in.Statistics {
		if statistic(name) == nil || name[0] == 'p' {
			return nil, invalid("The value %s for parameter Statistics is invalid.", name)
		}
	}
	for _, name := range in.ExtendedStatistics {
		if statistic(name) == nil || name[0] != 'p' {
			return nil, invalid("The value %s for parameter ExtendedStatistics is not supported by the local endpoint: it knows percentiles alone, such as p95.", name)
		}
	}
	points, unit := db.points(key{in.Namespace, in.MetricName, canonical(in.Dimensions), in.Unit}, w)
	out := &statisticsOutput{Label: in.MetricName, Datapoints: []datapoint{}}
	for _, p := range points {
		out.Datapoints = append(out.Datapoints, in.datapoint(p, unit))
	}
	return out, nil
}

func (in *statisticsInput) datapoint(p point, unit string) datapoint {
	d := datapoint{Timestamp: timestamp{p.at}, Unit: unit}
	fields := map[string]**float64{"SampleCount": &d.SampleCount, "Sum": &d.Sum, "Average": &d.Average, "Minimum": &d.Minimum, "Maximum": &d.Maximum}
	for _, name := range in.Statistics {
		value, _ := statistic(name)(&p.data)
		*fields[name] = &value
	}
	for _, name := range in.ExtendedStatistics {
		if value, ok := statistic(name)(&p.data); ok {
			if d.ExtendedStatistics == nil {
				d.ExtendedStatistics = map[string]float64{}
			}
			d.ExtendedStatistics[name] = value
		}
	}
	return d
}
