// Package lambda is the part of a local AWS Lambda that changes event source mappings
// while they run: GetEventSourceMapping, ListEventSourceMappings and
// UpdateEventSourceMapping, behind the REST protocol of the AWS SDKs.
//
// It follows https://docs.aws.amazon.com/lambda/latest/api/API_UpdateEventSourceMapping.html
// where that is definite. A changed value stays, over restarts too, until a template is
// run that declares another value than the template before: so CloudFormation keeps it,
// which updates what has changed between two templates and does not look at what there
// is.
//
// Known differences: mappings are the template's, and are neither created nor deleted
// here; Enabled and ScalingConfig can be changed, all else is refused; a change takes
// effect at once and shows as under way for a second; the names of functions that have
// no mapping are not known, and have empty lists.
package lambda

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/boltfile"
)

// DefaultSettle is how long a change shows as under way.
const DefaultSettle = time.Second

// Config sets a DB up.
type Config struct {
	// Path is the file in which changes are kept. Required.
	Path string
	// Now is the clock; nil means the machine's.
	Now func() time.Time
	// Region and AccountID stand in ARNs; "" means us-east-1 and 000000000000.
	Region, AccountID string
	// Settle is how long a change shows as under way; zero means DefaultSettle.
	Settle time.Duration
}

// A Setting is what can be changed of a mapping.
type Setting struct {
	// Enabled tells that it polls.
	Enabled bool `json:"enabled"`
	// MaximumConcurrency is how many batches may be worked on at once; zero means
	// that it sets no bound.
	MaximumConcurrency int `json:"maximum_concurrency,omitempty"`
}

// A Mapping is one that a template declares.
type Mapping struct {
	UUID, EventSourceARN, FunctionARN string
	// Setting is the template's.
	Setting Setting
	// Details are shown as they are, beside what this package knows: BatchSize and so
	// on, by AWS's names.
	Details map[string]any
	// Apply is called with each change, one after another; nil is not. It must not
	// call back.
	Apply func(Setting)
}

// A row is what is kept of a mapping.
type row struct {
	// Template is what the template that was run last says.
	Template Setting   `json:"template"`
	Setting  Setting   `json:"setting"`
	Changed  time.Time `json:"changed_at"`
	// Doing is the state while the change is under way.
	Doing string `json:"doing"`
}

var mappingsBucket = []byte("mappings")

// A DB holds mappings. It is an http.Handler, safe for concurrent use.
type DB struct {
	cfg  Config
	bolt *bolt.DB

	mu       sync.Mutex
	mappings []Mapping // by UUID
	rows     map[string]row
}

// Open opens the file, making it if it isn't there.
func Open(cfg Config) (*DB, error) {
	if cfg.Path == "" {
		return nil, errors.New("lambda: configuration: Path is missing")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Region == "" {
		cfg.Region = "us-east-1"
	}
	if cfg.AccountID == "" {
		cfg.AccountID = "000000000000"
	}
	if cfg.Settle == 0 {
		cfg.Settle = DefaultSettle
	}
	b, err := boltfile.Open(cfg.Path, 0, mappingsBucket)
	if err != nil {
		return nil, fmt.Errorf("lambda: opening %s: %w", cfg.Path, err)
	}
	return &DB{cfg: cfg, bolt: b, rows: map[string]row{}}, nil
}

// Close closes the file.
func (db *DB) Close() error {
	if err := db.bolt.Close(); err != nil {
		return fmt.Errorf("lambda: closing %s: %w", db.cfg.Path, err)
	}
	return nil
}

// Declare makes a mapping known and gives the setting that holds for it: what was
// changed, or the template's, where that is another than the template's before.
func (db *DB) Declare(m Mapping) (Setting, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if m.UUID == "" || slices.ContainsFunc(db.mappings, func(other Mapping) bool { return other.UUID == m.UUID }) {
		return Setting{}, fmt.Errorf("lambda: the mapping %q of %s has no UUID of its own", m.UUID, m.EventSourceARN)
	}
	kept, ok, err := db.load(m.UUID)
	if err != nil {
		return Setting{}, err
	}
	if !ok || kept.Template != m.Setting {
		kept = row{Template: m.Setting, Setting: m.Setting, Changed: db.cfg.Now()}
		if err := db.save(m.UUID, kept); err != nil {
			return Setting{}, err
		}
	}
	kept.Doing = "" // what was under way is over
	db.rows[m.UUID] = kept
	db.mappings = append(db.mappings, m)
	slices.SortFunc(db.mappings, func(a, b Mapping) int {
		if a.UUID < b.UUID {
			return -1
		}
		return 1
	})
	return kept.Setting, nil
}

func (db *DB) load(uuid string) (kept row, ok bool, err error) {
	err = db.bolt.View(func(tx *bolt.Tx) error {
		encoded := tx.Bucket(mappingsBucket).Get([]byte(uuid))
		ok = encoded != nil
		if !ok {
			return nil
		}
		return json.Unmarshal(encoded, &kept)
	})
	if err != nil {
		return kept, ok, fmt.Errorf("lambda: reading the mapping %s: %w", uuid, err)
	}
	return kept, ok, nil
}

func (db *DB) save(uuid string, r row) error {
	encoded, err := json.Marshal(r)
	if err == nil {
		err = db.bolt.Update(func(tx *bolt.Tx) error { return tx.Bucket(mappingsBucket).Put([]byte(uuid), encoded) })
	}
	if err != nil {
		return fmt.Errorf("lambda: keeping the mapping %s: %w", uuid, err)
	}
	return nil
}

// find gives a declared mapping.
func (db *DB) find(uuid string) (Mapping, error) {
	i := slices.IndexFunc(db.mappings, func(m Mapping) bool { return m.UUID == uuid })
	if i < 0 {
		return Mapping{}, notFound("The resource you requested does not exist.")
	}
	return db.mappings[i], nil
}

// state gives the state of a mapping by AWS's names, and whether it can be changed.
func (db *DB) state(r row) (name string, settled bool) {
	if r.Doing != "" && db.cfg.Now().Before(r.Changed.Add(db.cfg.Settle)) {
		return r.Doing, false
	}
	if r.Setting.Enabled {
		return "Enabled", true
	}
	return "Disabled", true
}

// update changes a mapping.
func (db *DB) update(uuid string, change func(*Setting) error) (any, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	m, err := db.find(uuid)
	if err != nil {
		return nil, err
	}
	r := db.rows[uuid]
	if _, settled := db.state(r); !settled {
		return nil, inUse("Cannot update the event source mapping because it is in use.")
	}
	before := r.Setting
	if err := change(&r.Setting); err != nil {
		return nil, err
	}
	r.Changed, r.Doing = db.cfg.Now(), doing(before, r.Setting)
	if err := db.save(uuid, r); err != nil {
		return nil, err
	}
	db.rows[uuid] = r
	if m.Apply != nil && r.Setting != before {
		m.Apply(r.Setting)
	}
	return db.document(m, r), nil
}

func doing(before, now Setting) string {
	switch {
	case now.Enabled && !before.Enabled:
		return "Enabling"
	case !now.Enabled && before.Enabled:
		return "Disabling"
	}
	return "Updating"
}
