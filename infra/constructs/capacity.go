package constructs

import (
	core "github.com/aws/constructs-go/constructs/v10"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// CheckCapacity refuses a stack whose queues together ask for more than there is: of
// the account's concurrency, of what the workers call, of the table. Call it when the
// queues are complete. The Mistake says by how much, and the ways out.
func CheckCapacity(scope core.Construct, capacity sizing.Capacity, queues ...JobQueue) {
	plans := make([]sizing.Plan, len(queues))
	for i, queue := range queues {
		plans[i] = queue.Parts().Plan
	}
	if err := capacity.Check(plans...); err != nil {
		refuse(*scope.Node().Path(), "%v", err)
	}
}
