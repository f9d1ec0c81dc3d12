package ses

import (
	"regexp"
	"time"
)

func (db *DB) createSet(c call) (any, error) {
	var in struct {
		ConfigurationSetName                                                                                                  string
		ArchivingOptions, DeliveryOptions, ReputationOptions, SendingOptions, SuppressionOptions, TrackingOptions, VdmOptions map[string]any
		Tags                                                                                                                  []any
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, db.create(setsBucket, in.ConfigurationSetName, "Configuration set")
}

const noSet = "Configuration set <%s> does not exist."

var settingNamePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// create notes that something of a name is there.
func (db *DB) create(bucket []byte, name, kind string) error {
	if !settingNamePattern.MatchString(name) {
		return badRequest("%s: a name has letters, digits, underscores and hyphens, at most 64.", kind)
	}
	var there bool
	if found, err := db.get(bucket, name, &there); err != nil || found {
		return orExists(err, "%s %s already exists.", kind, name)
	}
	return db.put(bucket, name, true)
}

func (db *DB) getSet(c call) (any, error) {
	return map[string]any{"ConfigurationSetName": c.name}, db.mustHave(setsBucket, c.name, noSet)
}

func (db *DB) mustHave(bucket []byte, name, format string) error {
	var there bool
	found, err := db.get(bucket, name, &there)
	if err == nil && !found {
		err = notFound(format, name)
	}
	return err
}

// deleteSet takes its event destinations along.
func (db *DB) deleteSet(c call) (any, error) {
	all, err := db.destinations(c.name)
	for _, d := range all {
		if err == nil {
			_, err = db.delete(destinationsBucket, destinationKey(c.name, d.Name))
		}
	}
	if err != nil {
		return nil, err
	}
	return db.remove(setsBucket, c.name, noSet, c.name)
}

// getAccount tells the quotas, which nobody enforces here.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetAccount.html
func (db *DB) getAccount(call) (any, error) {
	since := db.cfg.Now().Add(-24 * time.Hour).UnixMilli()
	sent := 0
	err := db.latest(func(m mail) bool {
		if m.At >= since {
			sent += len(m.Outcomes)
		}
		return m.At >= since
	})
	return map[string]any{
		"DedicatedIpAutoWarmupEnabled": false, "EnforcementStatus": "HEALTHY", "ProductionAccessEnabled": true, "SendingEnabled": true,
		"SendQuota":             map[string]any{"Max24HourSend": 50000, "MaxSendRate": 14, "SentLast24Hours": sent},
		"SuppressionAttributes": map[string]any{"SuppressedReasons": []string{"BOUNCE", "COMPLAINT"}},
	}, err
}
