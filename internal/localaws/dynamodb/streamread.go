package dynamodb

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// The limits of GetRecords, and how long an iterator lives.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html
const (
	maxRecords     = 1000
	maxRecordBytes = 1 << 20
	iteratorLife   = 15 * time.Minute
)

func errStream(arn string) error {
	return awsjson.Errorf("ResourceNotFoundException", "Requested resource not found: Stream: %s not found", arn)
}

// An iterator is a place in a stream: the next sequence to read, where 0 is
// the oldest record that there is. It is stateless and can be used again.
type iterator struct {
	ARN    string `json:"a"`
	Next   uint64 `json:"n"`
	Issued int64  `json:"t"` // Unix milliseconds
}

func (it iterator) encode() (string, error) {
	data, err := json.Marshal(it)
	return base64.StdEncoding.EncodeToString(data), err
}

func decodeIterator(text string) (it iterator, err error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(data, &it)
	}
	if err != nil || it.ARN == "" {
		return it, invalidf("Invalid ShardIterator: %s", text)
	}
	return it, nil
}

type getShardIteratorInput struct {
	StreamArn         string
	ShardId           string
	ShardIteratorType string
	SequenceNumber    *string
}

type getShardIteratorOutput struct {
	ShardIterator string
}

func (db *DB) getShardIterator(in *getShardIteratorInput) (*getShardIteratorOutput, error) {
	it := iterator{ARN: in.StreamArn, Issued: db.config.Machine().UnixMilli()}
	err := db.file.View(func(tx *bolt.Tx) error {
		s, err := readStream(tx, in.StreamArn)
		if err != nil {
			return err
		}
		if in.ShardId != s.shard() {
			return awsjson.Errorf("ResourceNotFoundException", "Requested resource not found: Shard: %s not found in stream %s", in.ShardId, in.StreamArn)
		}
		it.Next, err = in.position(tx.Bucket(s.recordsBucket()))
		return err
	})
	if err != nil {
		return nil, err
	}
	text, err := it.encode()
	return &getShardIteratorOutput{ShardIterator: text}, err
}

func (in *getShardIteratorInput) position(records *bolt.Bucket) (uint64, error) {
	bySequence := in.ShardIteratorType == "AT_SEQUENCE_NUMBER" || in.ShardIteratorType == "AFTER_SEQUENCE_NUMBER"
	if bySequence != (in.SequenceNumber != nil) {
		return 0, invalidf("SequenceNumber belongs to the types AT_SEQUENCE_NUMBER and AFTER_SEQUENCE_NUMBER, and to no other")
	}
	switch in.ShardIteratorType {
	case "TRIM_HORIZON":
		return 0, nil
	case "LATEST":
		return records.Sequence() + 1, nil
	case "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER":
		n, err := parseSequence(*in.SequenceNumber)
		if err != nil {
			return 0, err
		}
		if in.ShardIteratorType == "AFTER_SEQUENCE_NUMBER" {
			n++
		}
		return n, checkTrimmed(records, n)
	default:
		return 0, oneOf("shardIteratorType", in.ShardIteratorType+" ", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", "LATEST", "TRIM_HORIZON")
	}
}

// checkTrimmed refuses a place before the oldest record.
func checkTrimmed(records *bolt.Bucket, n uint64) error {
	oldest := records.Sequence() + 1
	if key, _ := records.Cursor().First(); key != nil {
		oldest = binary.BigEndian.Uint64(key)
	}
	if n < oldest {
		return awsjson.Errorf("TrimmedDataAccessException", "The operation attempted to read past the oldest stream record in a shard: %s", sequenceNumber(n))
	}
	return nil
}

type getRecordsInput struct {
	ShardIterator string
	Limit         *int
}

type getRecordsOutput struct {
	Records           []wireRecord
	NextShardIterator *string `json:",omitempty"`
}

// A wireRecord is a record as the Streams API answers it.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_Record.html
type wireRecord struct {
	AwsRegion    string        `json:"awsRegion"`
	Dynamodb     wireChange    `json:"dynamodb"`
	EventID      string        `json:"eventID"`
	EventName    string        `json:"eventName"`
	EventSource  string        `json:"eventSource"`
	EventVersion string        `json:"eventVersion"`
	UserIdentity *userIdentity `json:"userIdentity,omitempty"`
}

type wireChange struct {
	ApproximateCreationDateTime int64 // Unix seconds
	Keys                        ddb.Item
	NewImage                    ddb.Item `json:",omitempty"`
	OldImage                    ddb.Item `json:",omitempty"`
	SequenceNumber              string
	SizeBytes                   int
	StreamViewType              string
}

type userIdentity struct {
	PrincipalId string
	Type        string
}

func (db *DB) getRecords(in *getRecordsInput) (*getRecordsOutput, error) {
	it, err := decodeIterator(in.ShardIterator)
	if err != nil {
		return nil, err
	}
	limit := maxRecords
	if in.Limit != nil {
		limit = *in.Limit
	}
	if limit < 1 || limit > maxRecords {
		return nil, invalidf("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: Member must have value between 1 and %d", limit, maxRecords)
	}
	now := db.config.Machine()
	if now.Sub(time.UnixMilli(it.Issued)) > iteratorLife {
		return nil, awsjson.Errorf("ExpiredIteratorException", "Iterator expired. The iterator was created at time %s", time.UnixMilli(it.Issued).UTC().Format(time.RFC3339))
	}
	out := &getRecordsOutput{Records: []wireRecord{}}
	ended := false
	err = db.file.View(func(tx *bolt.Tx) error {
		s, err := readStream(tx, it.ARN)
		if err != nil {
			return err
		}
		records := tx.Bucket(s.recordsBucket())
		if it.Next > 0 {
			if err := checkTrimmed(records, it.Next); err != nil {
				return err
			}
		}
		if err := db.collect(out, s, records, &it.Next, limit); err != nil {
			return err
		}
		ended = !s.Closed.IsZero() && it.Next > records.Sequence()
		return nil
	})
	if err != nil || ended {
		return out, err
	}
	it.Issued = now.UnixMilli()
	text, err := it.encode()
	out.NextShardIterator = &text
	return out, err
}

// collect reads from next on and moves it behind what it read.
func (db *DB) collect(out *getRecordsOutput, s *stream, records *bolt.Bucket, next *uint64, limit int) error {
	size := 0
	cursor := records.Cursor()
	for key, data := cursor.Seek(sequenceKey(*next)); key != nil && len(out.Records) < limit; key, data = cursor.Next() {
		if size += len(data); size > maxRecordBytes && len(out.Records) > 0 {
			return nil
		}
		r, err := decodeRecord(bytes.Clone(key), data)
		if err != nil {
			return err
		}
		out.Records = append(out.Records, db.wire(s, r))
		*next = r.sequence + 1
	}
	if *next == 0 && !s.Closed.IsZero() {
		*next = records.Sequence() + 1 // all is trimmed, nothing will come
	}
	return nil
}

func (db *DB) wire(s *stream, r record) wireRecord {
	wire := wireRecord{
		AwsRegion: db.config.Region, EventID: eventID(s, r), EventName: r.event, EventSource: "aws:dynamodb", EventVersion: "1.1",
		Dynamodb: wireChange{
			ApproximateCreationDateTime: r.at.Unix(), Keys: r.keys, NewImage: r.next, OldImage: r.old,
			SequenceNumber: sequenceNumber(r.sequence), SizeBytes: r.keys.Size() + r.next.Size() + r.old.Size(), StreamViewType: s.View,
		},
	}
	if r.expired {
		wire.UserIdentity = &userIdentity{PrincipalId: "dynamodb.amazonaws.com", Type: "Service"}
	}
	return wire
}
