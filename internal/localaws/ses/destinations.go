package ses

import (
	"bytes"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

var destinationsBucket = []byte("destinations")

// eventDestination is where a configuration set's events go.
type eventDestination struct {
	Name               string          `json:",omitempty"`
	Enabled            bool            `json:",omitempty"`
	MatchingEventTypes []string        `json:",omitempty"`
	SnsDestination     *snsDestination `json:",omitempty"`
}

type snsDestination struct{ TopicArn string }

// eventTypes are those that a destination can name. Opens, clicks and what has to do
// with slow deliveries never happen here.
var eventTypes = []string{"SEND", "REJECT", "BOUNCE", "COMPLAINT", "DELIVERY", "OPEN", "CLICK", "RENDERING_FAILURE", "DELIVERY_DELAY", "SUBSCRIPTION"}

func (d eventDestination) check() error {
	if d.SnsDestination == nil || d.SnsDestination.TopicArn == "" {
		return badRequest("The local endpoint sends events to SNS only: SnsDestination is missing.")
	}
	if len(d.MatchingEventTypes) == 0 {
		return badRequest("At least one event type must be named.")
	}
	for _, kind := range d.MatchingEventTypes {
		if !slices.Contains(eventTypes, kind) {
			return badRequest("Unknown event type %s.", kind)
		}
	}
	return nil
}

func destinationKey(set, name string) string { return set + "\x00" + name }

// createDestination adds a destination to a configuration set.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_CreateConfigurationSetEventDestination.html
func (db *DB) createDestination(c call) (any, error) {
	var in struct {
		EventDestinationName string
		EventDestination     eventDestination
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if !settingNamePattern.MatchString(in.EventDestinationName) {
		return nil, badRequest("An event destination's name has letters, digits, underscores and hyphens, at most 64.")
	}
	if err := db.mustHave(setsBucket, c.name, noSet); err != nil {
		return nil, err
	}
	key := destinationKey(c.name, in.EventDestinationName)
	if found, err := db.get(destinationsBucket, key, &eventDestination{}); err != nil || found {
		return nil, orExists(err, "Event destination %s already exists.", in.EventDestinationName)
	}
	return nil, db.putDestination(key, in.EventDestinationName, in.EventDestination)
}

func (db *DB) putDestination(key, name string, d eventDestination) error {
	d.Name = name
	if err := d.check(); err != nil {
		return err
	}
	return db.put(destinationsBucket, key, d)
}

func (db *DB) updateDestination(c call) (any, error) {
	var in struct{ EventDestination eventDestination }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	set, name, _ := strings.Cut(c.name, "\n")
	key := destinationKey(set, name)
	found, err := db.get(destinationsBucket, key, &eventDestination{})
	if err == nil && !found {
		err = notFound("Event destination %s does not exist.", name)
	}
	if err != nil {
		return nil, err
	}
	return nil, db.putDestination(key, name, in.EventDestination)
}

func (db *DB) deleteDestination(c call) (any, error) {
	set, name, _ := strings.Cut(c.name, "\n")
	return db.remove(destinationsBucket, destinationKey(set, name), "Event destination %s does not exist.", name)
}

func (db *DB) getDestinations(c call) (any, error) {
	if err := db.mustHave(setsBucket, c.name, noSet); err != nil {
		return nil, err
	}
	all, err := db.destinations(c.name)
	return map[string]any{"EventDestinations": all}, err
}

// destinations are those of a configuration set.
func (db *DB) destinations(set string) (all []eventDestination, err error) {
	prefix := []byte(destinationKey(set, ""))
	err = db.bolt.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(destinationsBucket).Cursor()
		for key, encoded := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, encoded = c.Next() {
			var d eventDestination
			if err := decodeStored(encoded, &d); err != nil {
				return err
			}
			all = append(all, d)
		}
		return nil
	})
	return all, err
}
