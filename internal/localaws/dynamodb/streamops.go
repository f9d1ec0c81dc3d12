package dynamodb

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	bolt "go.etcd.io/bbolt"
)

// eventID names a record once and for all.
func eventID(s *stream, r record) string {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(s.ARN), r.sequence))
	return hex.EncodeToString(sum[:16])
}

type (
	listStreamsInput struct {
		TableName               string
		Limit                   *int
		ExclusiveStartStreamArn string
	}
	streamEntry struct {
		StreamArn   string
		StreamLabel string
		TableName   string
	}
	listStreamsOutput struct {
		Streams                []streamEntry
		LastEvaluatedStreamArn string `json:",omitempty"`
	}
)

// maxListed is the most streams, shards or tables that one answer lists.
const maxListed = 100

func listLimit(limit *int) (int, error) {
	if limit == nil {
		return maxListed, nil
	}
	if *limit < 1 || *limit > maxListed {
		return 0, invalidf("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: Member must have value between 1 and %d", *limit, maxListed)
	}
	return *limit, nil
}

func (db *DB) listStreams(in *listStreamsInput) (*listStreamsOutput, error) {
	limit, err := listLimit(in.Limit)
	if err != nil {
		return nil, err
	}
	out := &listStreamsOutput{Streams: []streamEntry{}}
	err = db.file.View(func(tx *bolt.Tx) error {
		cursor := tx.Bucket(streamsBucket).Cursor()
		for key, _ := cursor.Seek([]byte(in.ExclusiveStartStreamArn)); key != nil; key, _ = cursor.Next() {
			s, err := readStream(tx, string(key))
			if err != nil {
				return err
			}
			if s.ARN == in.ExclusiveStartStreamArn || in.TableName != "" && s.Table != in.TableName {
				continue
			}
			if len(out.Streams) == limit {
				out.LastEvaluatedStreamArn = out.Streams[limit-1].StreamArn
				return nil
			}
			out.Streams = append(out.Streams, streamEntry{StreamArn: s.ARN, StreamLabel: s.Label, TableName: s.Table})
		}
		return nil
	})
	return out, err
}

type (
	describeStreamInput struct {
		StreamArn             string
		Limit                 *int
		ExclusiveStartShardId string
		ShardFilter           *struct{ Type, ShardId string }
	}
	sequenceRange struct {
		StartingSequenceNumber string
		EndingSequenceNumber   string `json:",omitempty"`
	}
	shardDescription struct {
		ShardId             string
		SequenceNumberRange sequenceRange
	}
	streamDescription struct {
		CreationRequestDateTime float64
		KeySchema               []keyElement
		Shards                  []shardDescription
		StreamArn               string
		StreamLabel             string
		StreamStatus            string
		StreamViewType          string
		TableName               string
	}
	describeStreamOutput struct {
		StreamDescription streamDescription
	}
)

func (db *DB) describeStream(in *describeStreamInput) (*describeStreamOutput, error) {
	if _, err := listLimit(in.Limit); err != nil {
		return nil, err
	}
	out := &describeStreamOutput{}
	return out, db.file.View(func(tx *bolt.Tx) error {
		s, err := readStream(tx, in.StreamArn)
		if err != nil {
			return err
		}
		out.StreamDescription = streamDescription{
			CreationRequestDateTime: epoch(s.Created), KeySchema: s.Elements, StreamArn: s.ARN, StreamLabel: s.Label,
			StreamStatus: "ENABLED", StreamViewType: s.View, TableName: s.Table, Shards: []shardDescription{},
		}
		shard := shardDescription{ShardId: s.shard(), SequenceNumberRange: sequenceRange{StartingSequenceNumber: sequenceNumber(1)}}
		if !s.Closed.IsZero() {
			out.StreamDescription.StreamStatus = "DISABLED"
			shard.SequenceNumberRange.EndingSequenceNumber = sequenceNumber(max(1, tx.Bucket(s.recordsBucket()).Sequence()))
		}
		// The only shard has no parent and no children.
		if in.ExclusiveStartShardId == "" && in.ShardFilter == nil {
			out.StreamDescription.Shards = append(out.StreamDescription.Shards, shard)
		}
		return nil
	})
}
