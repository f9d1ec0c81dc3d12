package wire

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/nightshift-go/nightshift/pkg/mapping"
	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// Scaling makes the function that moves workers between and within the queues of plans.
func (e *Env) Scaling(plans map[string]sizing.Plan) (*scaling.Function, error) {
	mappings, urls := map[string]string{}, map[string]string{}
	for name, plan := range plans {
		if plan.Queue.Polled {
			continue // its workers are processes
		}
		mappings[name] = e.Settings.Required(settings.MappingUUID(name))
		urls[name] = e.Settings.Required(settings.QueueURL(name))
	}
	return scaling.New(scaling.Config{
		Jobs: e.Jobs(), Plans: plans, Mappings: mappings, URLs: urls,
		Lambda: mapping.New(lambda.NewFromConfig(e.AWS)), Depths: e.Queue(),
		Budget: e.Settings.Count(settings.MostWorkers), Logger: e.Logger, Now: e.Now,
	})
}
