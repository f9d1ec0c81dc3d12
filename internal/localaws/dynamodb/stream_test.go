package dynamodb

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	st "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	bolt "go.etcd.io/bbolt"
)

// count is how many keys a bucket has.
func (f *fixture) count(t *testing.T, bucket []byte) (n int) {
	t.Helper()
	err := f.db.file.View(func(tx *bolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(_, _ []byte) error { n++; return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// place is a stream's ARN and shard.
func (f *fixture) place(t *testing.T) (arn, shard *string) {
	t.Helper()
	listed, err := f.streams.ListStreams(context.Background(), &dynamodbstreams.ListStreamsInput{})
	if err != nil || len(listed.Streams) == 0 {
		t.Fatal(listed, err)
	}
	arn = listed.Streams[0].StreamArn
	described, err := f.streams.DescribeStream(context.Background(), &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil {
		t.Fatal(err)
	}
	return arn, described.StreamDescription.Shards[0].ShardId
}

func (f *fixture) iterator(t *testing.T, kind st.ShardIteratorType, sequence *string) (*string, error) {
	t.Helper()
	arn, shard := f.place(t)
	out, err := f.streams.GetShardIterator(context.Background(), &dynamodbstreams.GetShardIteratorInput{StreamArn: arn, ShardId: shard, ShardIteratorType: kind, SequenceNumber: sequence})
	if err != nil {
		return nil, err
	}
	return out.ShardIterator, nil
}

func (f *fixture) read(iterator *string, limit int32) (*dynamodbstreams.GetRecordsOutput, error) {
	return f.streams.GetRecords(context.Background(), &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: &limit})
}

func TestIterators(t *testing.T) {
	f := newFixture(t)
	table := f.table(t)
	for i := range 5 {
		f.put(t, table, fmt.Sprintf(`{'pk':{'S':'a'},'sk':{'S':'b'},'n':{'N':'%d'}}`, i))
	}
	horizon, err := f.iterator(t, st.ShardIteratorTypeTrimHorizon, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := f.read(horizon, 3)
	if err != nil || len(first.Records) != 3 {
		t.Fatal(first, err)
	}
	again, err := f.read(horizon, 3)
	if err != nil || len(again.Records) != 3 || *again.Records[0].EventID != *first.Records[0].EventID {
		t.Errorf("read again: %v, %v", again, err)
	}
	second := first.Records[1].Dynamodb.SequenceNumber
	for kind, want := range map[st.ShardIteratorType]int{st.ShardIteratorTypeAtSequenceNumber: 4, st.ShardIteratorTypeAfterSequenceNumber: 3} {
		iterator, err := f.iterator(t, kind, second)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := f.read(iterator, 100); err != nil || len(out.Records) != want {
			t.Errorf("%s: %v, %v", kind, out, err)
		}
	}
	latest, err := f.iterator(t, st.ShardIteratorTypeLatest, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed := f.db.Changed()
	none, err := f.read(latest, 100)
	if err != nil || len(none.Records) != 0 || none.NextShardIterator == nil {
		t.Fatalf("latest: %v, %v", none, err)
	}
	f.put(t, table, `{'pk':{'S':'a'},'sk':{'S':'b'},'n':{'N':'6'}}`)
	select {
	case <-changed:
	case <-time.After(10 * time.Second):
		t.Fatal("a write did not wake who waits")
	}
	if out, err := f.read(none.NextShardIterator, 100); err != nil || len(out.Records) != 1 {
		t.Errorf("after latest: %v, %v", out, err)
	}
	f.clock.advance(iteratorLife + time.Minute)
	_, err = f.read(latest, 100)
	wantCode(t, "an old iterator", err, "ExpiredIteratorException", "")
	_, err = f.read(aws.String("garbage"), 100)
	wantCode(t, "no iterator", err, "ValidationException", "garbage")
}

func TestRecordsAreTrimmedAfterADay(t *testing.T) {
	f := newFixture(t)
	table := f.table(t)
	f.put(t, table, `{'pk':{'S':'a'},'sk':{'S':'old'}}`)
	horizon, err := f.iterator(t, st.ShardIteratorTypeTrimHorizon, nil)
	if err != nil {
		t.Fatal(err)
	}
	old, err := f.read(horizon, 100)
	if err != nil {
		t.Fatal(err)
	}
	f.clock.advance(recordLife - time.Minute)
	f.put(t, table, `{'pk':{'S':'a'},'sk':{'S':'new'}}`)
	f.clock.advance(2 * time.Minute)
	if err := f.db.Sweep(); err != nil {
		t.Fatal(err)
	}
	if got := f.records(t, table); got != "INSERT" {
		t.Errorf("left: %s", got)
	}
	_, err = f.iterator(t, st.ShardIteratorTypeAtSequenceNumber, old.Records[0].Dynamodb.SequenceNumber)
	wantCode(t, "a trimmed place", err, "TrimmedDataAccessException", "")
	if _, err := f.iterator(t, st.ShardIteratorTypeAfterSequenceNumber, old.Records[0].Dynamodb.SequenceNumber); err != nil {
		t.Errorf("behind the last trimmed one: %v", err)
	}
}

func TestStreamOutlivesItsTable(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	f.put(t, table, key1)
	if _, err := f.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: table}); err != nil {
		t.Fatal(err)
	}
	horizon, err := f.iterator(t, st.ShardIteratorTypeTrimHorizon, nil)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := f.read(horizon, 100); err != nil || len(out.Records) != 1 || out.NextShardIterator != nil {
		t.Errorf("a closed shard: %+v, %v", out, err)
	}
	f.table(t) // the same name again: another stream
	if f.count(t, streamsBucket) != 2 {
		t.Errorf("%d streams", f.count(t, streamsBucket))
	}
	f.clock.advance(recordLife + time.Minute)
	if err := f.db.Sweep(); err != nil {
		t.Fatal(err)
	}
	if f.count(t, streamsBucket) != 1 {
		t.Errorf("%d streams a day later", f.count(t, streamsBucket))
	}
}

func TestTimeToLive(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	now := f.clock.now().Unix()
	expiring := func(sk string, at any) string {
		return fmt.Sprintf(`{'pk':{'S':'a'},'sk':{'S':'%s'},'ttl':{'N':'%v'}}`, sk, at)
	}
	f.put(t, table, expiring("before it was on", now-1))
	if _, err := f.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: table, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("ttl"), Enabled: aws.Bool(true)}}); err != nil {
		t.Fatal(err)
	}
	f.put(t, table, expiring("due", now-1))
	f.put(t, table, expiring("later", now+100))
	f.put(t, table, expiring("moved", now-1))
	f.put(t, table, expiring("moved", now+100))
	f.put(t, table, expiring("too old", now-int64(maxExpiryAge/time.Second)-10))
	f.put(t, table, expiring("fraction", "1.5"))
	f.put(t, table, `{'pk':{'S':'a'},'sk':{'S':'text'},'ttl':{'S':'1'}}`)
	if got := len(f.scanAll(t, table, 1)); got != 7 {
		t.Errorf("%d items before the sweep: expired ones must stay readable", got)
	}
	if err := f.db.Sweep(); err != nil {
		t.Fatal(err)
	}
	if got := len(f.scanAll(t, table, 1)); got != 5 {
		t.Errorf("%d items after the sweep", got)
	}
	want := "INSERT, INSERT, INSERT, INSERT, MODIFY, INSERT, INSERT, INSERT, REMOVE by dynamodb.amazonaws.com, REMOVE by dynamodb.amazonaws.com"
	if got := f.records(t, table); got != want {
		t.Errorf("records:\n got %s\nwant %s", got, want)
	}
	f.clock.advance(200 * time.Second)
	if err := f.db.Sweep(); err != nil {
		t.Fatal(err)
	}
	if got := len(f.scanAll(t, table, 1)); got != 3 {
		t.Errorf("%d items after the second sweep", got)
	}
}

func TestRecordEncoding(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("I"), append([]byte("I\x00\x00\x00\x00\x00\x00\x00\x00\x00"), 9)} {
		if r, err := decodeRecord(make([]byte, 8), data); err == nil {
			t.Errorf("%q: %v", data, r)
		}
	}
}

// A stream that is switched on later has what its view allows, and ends when
// it is switched off.
func TestStreamViewsAndSwitching(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	change := func(on bool, view types.StreamViewType) error {
		_, err := f.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: table, StreamSpecification: &types.StreamSpecification{StreamEnabled: &on, StreamViewType: view}})
		return err
	}
	wantCode(t, "on twice", change(true, types.StreamViewTypeNewImage), "ValidationException", "already has an enabled stream")
	for view, want := range map[types.StreamViewType]string{
		types.StreamViewTypeKeysOnly: "0 0", types.StreamViewTypeNewImage: "3 0", types.StreamViewTypeOldImage: "0 3", types.StreamViewTypeNewAndOldImages: "3 3",
	} {
		if err := change(false, ""); err != nil {
			t.Fatal(err)
		}
		if err := change(true, view); err != nil {
			t.Fatal(err)
		}
		f.put(t, table, fmt.Sprintf(`{'pk':{'S':'%s'},'sk':{'S':'s'},'n':{'N':'1'}}`, view))
		f.put(t, table, fmt.Sprintf(`{'pk':{'S':'%s'},'sk':{'S':'s'},'n':{'N':'2'}}`, view))
		current, err := f.db.find(*table)
		if err != nil {
			t.Fatal(err)
		}
		shard := current.Stream.shard()
		at, err := f.streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: &current.Stream.ARN, ShardId: &shard, ShardIteratorType: "TRIM_HORIZON"})
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.read(at.ShardIterator, 100)
		if err != nil || len(out.Records) != 2 || len(out.Records[1].Dynamodb.Keys) != 2 {
			t.Fatalf("%s: %v, %v", view, out, err)
		}
		if got := fmt.Sprint(len(out.Records[1].Dynamodb.NewImage), len(out.Records[1].Dynamodb.OldImage)); got != want {
			t.Errorf("%s: images of %s attributes, want %s", view, got, want)
		}
	}
	if err := change(false, ""); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "off twice", change(false, ""), "ValidationException", "no enabled stream")
}
