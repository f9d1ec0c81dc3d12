package settings

// What the function that moves workers is told besides the queues: see package scaling.
const (
	// MappingPrefix begins the names of the variables that hold the UUIDs of the
	// queues' event source mappings.
	MappingPrefix = "NIGHTSHIFT_MAPPING_"
	// MostWorkers is how many workers all queues together may have: what the database
	// behind them bears. Empty means that there is no such bound.
	MostWorkers = "NIGHTSHIFT_MOST_WORKERS"
)

// MappingUUID names the variable that holds the UUID of a queue's event source mapping.
func MappingUUID(queue string) string { return MappingPrefix + upper(queue) }
