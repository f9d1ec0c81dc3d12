package dynamodb

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// recordLife is how long a stream keeps a record.
const recordLife = 24 * time.Hour

// A stream is what is known of a stream, which outlives its table by a day.
// It has one shard.
type stream struct {
	ARN      string
	Table    string
	Label    string
	View     string
	Created  time.Time
	Closed   time.Time // zero while open
	Elements []keyElement
}

// shard is the id of the stream's only shard.
func (s *stream) shard() string {
	return fmt.Sprintf("shardId-%020d-%08x", s.Created.UnixMilli(), uint32(s.Created.UnixMilli()))
}

// Sequence numbers are 21 digits, as in AWS; they count from 1 in each stream.
const sequenceBase = "1"

func sequenceNumber(n uint64) string { return fmt.Sprintf("%s%020d", sequenceBase, n) }

func parseSequence(text string) (uint64, error) {
	rest, ok := strings.CutPrefix(text, sequenceBase)
	if ok && len(rest) == 20 {
		if n, err := strconv.ParseUint(rest, 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, invalidf("Invalid SequenceNumber: %s", text)
}

func sequenceKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// openStream gives a new definition of a table with a new stream.
func (db *DB) openStream(tx *writeTx, t *table, view string) error {
	if err := oneOf("streamSpecification.streamViewType", view, "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"); err != nil || view == "" {
		return cmpError(err, invalidf("One or more parameter values were invalid: StreamViewType must be given when StreamEnabled is true"))
	}
	at := db.config.Now().UTC().Truncate(time.Millisecond)
	arn := func() string { return db.tableARN(t.Name) + "/stream/" + at.Format("2006-01-02T15:04:05.000") }
	for tx.Bucket(streamsBucket).Get([]byte(arn())) != nil {
		at = at.Add(time.Millisecond) // a stream of that moment exists
	}
	s := &stream{ARN: arn(), Table: t.Name, Label: at.Format("2006-01-02T15:04:05.000"), View: view, Created: at, Elements: t.Elements}
	t.Stream, t.LatestStream = s, s
	tx.dirty = true
	if _, err := tx.CreateBucket(s.recordsBucket()); err != nil {
		return err
	}
	return saveStream(tx, s)
}

func cmpError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// closeStream closes a table's stream, if it has one; its records stay.
func (db *DB) closeStream(tx *writeTx, t *table) error {
	if t.Stream == nil {
		return nil
	}
	closed := *t.Stream
	closed.Closed = db.config.Now()
	t.Stream, t.LatestStream = nil, &closed
	tx.after = append(tx.after, db.tell)
	return saveStream(tx, &closed)
}

func saveStream(tx *writeTx, s *stream) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("dynamodb: encoding the stream %s: %w", s.ARN, err)
	}
	tx.dirty = true
	return tx.Bucket(streamsBucket).Put([]byte(s.ARN), data)
}

func readStream(tx *bolt.Tx, arn string) (*stream, error) {
	data := tx.Bucket(streamsBucket).Get([]byte(arn))
	if data == nil {
		return nil, errStream(arn)
	}
	s := &stream{}
	return s, json.Unmarshal(data, s)
}

// A record is one change in a stream.
type record struct {
	sequence        uint64
	expired         bool
	at              time.Time
	keys, next, old ddb.Item
	event           string
}

// record writes a change into its table's stream, as its view wants it.
func (db *DB) record(tx *writeTx, c change) error {
	s := c.table.Stream
	bucket := tx.Bucket(s.recordsBucket())
	bucket.FillPercent = 0.9 // keys only ever rise
	sequence, err := bucket.NextSequence()
	if err != nil {
		return err
	}
	r := record{expired: c.expired, at: db.config.Now(), event: "MODIFY", keys: ddb.Item{}}
	some := c.next
	switch {
	case c.old == nil:
		r.event = "INSERT"
	case c.next == nil:
		r.event, some = "REMOVE", c.old
	}
	for _, name := range keyNames(c.table.Key) {
		r.keys[name] = some[name]
	}
	if s.View == "NEW_IMAGE" || s.View == "NEW_AND_OLD_IMAGES" {
		r.next = c.next
	}
	if s.View == "OLD_IMAGE" || s.View == "NEW_AND_OLD_IMAGES" {
		r.old = c.old
	}
	tx.after = append(tx.after, db.tell)
	return bucket.Put(sequenceKey(sequence), r.encode())
}

const (
	recordInsert = 'I'
	recordModify = 'M'
	recordRemove = 'R'
)

// encode writes: the event's initial, whether it expired, the time in ms, and
// the three items, each with its length plus one, or 0 for none.
func (r record) encode() []byte {
	data := []byte{r.event[0], 0}
	if r.expired {
		data[1] = 1
	}
	data = binary.BigEndian.AppendUint64(data, uint64(r.at.UnixMilli()))
	for _, item := range []ddb.Item{r.keys, r.next, r.old} {
		if item == nil {
			data = append(data, 0)
			continue
		}
		encoded := ddb.AppendItem(nil, item)
		data = append(binary.AppendUvarint(data, uint64(len(encoded))+1), encoded...)
	}
	return data
}

func decodeRecord(key, data []byte) (record, error) {
	if len(key) != 8 || len(data) < 10 {
		return record{}, ddb.ErrCorrupt
	}
	r := record{sequence: binary.BigEndian.Uint64(key), expired: data[1] == 1, at: recordTime(data)}
	switch data[0] {
	case recordInsert:
		r.event = "INSERT"
	case recordModify:
		r.event = "MODIFY"
	case recordRemove:
		r.event = "REMOVE"
	}
	rest := data[10:]
	for _, item := range []*ddb.Item{&r.keys, &r.next, &r.old} {
		size, n := binary.Uvarint(rest)
		if n <= 0 || size > uint64(len(rest)-n)+1 {
			return record{}, ddb.ErrCorrupt
		}
		rest = rest[n:]
		if size == 0 {
			continue
		}
		var err error
		if *item, err = ddb.DecodeItem(rest[:size-1]); err != nil {
			return record{}, err
		}
		rest = rest[size-1:]
	}
	return r, nil
}

// recordTime is when an encoded record was written.
func recordTime(data []byte) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(data[2:10])))
}
