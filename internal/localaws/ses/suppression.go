package ses

import "strings"

// suppressed is an address that nothing is sent to. Its time is in milliseconds.
type suppressed struct {
	Address string `json:"address"`
	Reason  string `json:"reason"` // BOUNCE or COMPLAINT
	At      int64  `json:"at"`
}

func (s suppressed) shown() map[string]any {
	return map[string]any{"EmailAddress": s.Address, "Reason": s.Reason, "LastUpdateTime": float64(s.At) / 1000}
}

func (db *DB) putSuppressed(c call) (any, error) {
	var in struct{ EmailAddress, Reason string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.Reason != "BOUNCE" && in.Reason != "COMPLAINT" {
		return nil, badRequest("Reason must be BOUNCE or COMPLAINT.")
	}
	if _, err := parseAddress(in.EmailAddress); err != nil {
		return nil, err
	}
	address := strings.ToLower(in.EmailAddress)
	return nil, db.put(suppressedBucket, address, suppressed{address, in.Reason, db.cfg.Now().UnixMilli()})
}

func (db *DB) getSuppressed(c call) (any, error) {
	var found suppressed
	ok, err := db.get(suppressedBucket, strings.ToLower(c.name), &found)
	if err == nil && !ok {
		err = notFound("Email address %s does not exist on your suppression list.", c.name)
	}
	return map[string]any{"SuppressedDestination": found.shown()}, err
}

func (db *DB) deleteSuppressed(c call) (any, error) {
	return db.remove(suppressedBucket, strings.ToLower(c.name), "Email address %s does not exist on your suppression list.", c.name)
}

func (db *DB) listSuppressed(call) (any, error) {
	names, err := db.names(suppressedBucket)
	all := []any{}
	for _, name := range names {
		var found suppressed
		if _, err := db.get(suppressedBucket, name, &found); err != nil {
			return nil, err
		}
		all = append(all, found.shown())
	}
	return map[string]any{"SuppressedDestinationSummaries": all}, err
}
