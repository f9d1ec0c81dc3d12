package dynamodb

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// crashPath tells this test binary that it is the child to be killed, and
// where its data file is.
const crashPath = "CRASH_TEST_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashPath); path != "" {
		fmt.Fprintln(os.Stderr, writeForever(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForever moves units between two items, and reports each transaction on
// standard output once it is committed.
func writeForever(path string) error {
	db, err := Open(Config{Path: path})
	if err != nil {
		return err
	}
	if _, err := db.find("units"); err != nil {
		if _, err := db.createTable(&createTableInput{
			TableName: "units", BillingMode: "PAY_PER_REQUEST", KeySchema: []keyElement{{"pk", "HASH"}},
			AttributeDefinitions: []attributeDefinition{{"pk", "S"}}, StreamSpecification: &streamSpecification{StreamEnabled: true, StreamViewType: "NEW_IMAGE"},
		}); err != nil {
			return err
		}
	}
	for {
		in := &transactWriteItemsInput{}
		for pk, units := range map[string]int{"a": -1, "b": 1} {
			text := fmt.Sprintf(`{"Update":{"TableName":"units","Key":{"pk":{"S":"%s"}},"UpdateExpression":"ADD held :u","ExpressionAttributeValues":{":u":{"N":"%d"}}}}`, pk, units)
			var one transactWriteItem
			if err := json.Unmarshal([]byte(text), &one); err != nil {
				return err
			}
			in.TransactItems = append(in.TransactItems, one)
		}
		if _, err := db.transactWriteItems(in); err != nil {
			return err
		}
		out, err := db.getItem(&getItemInput{TableName: "units", Key: ddb.Item{"pk": ddb.S("b")}})
		if err != nil {
			return err
		}
		fmt.Println(out.Item["held"].Number())
	}
}

// Whenever the process is killed, what it reported as done is there, no
// transaction is torn, and the stream tells the same story.
func TestSurvivesKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dynamodb.db")
	for round := range 4 {
		reported := runAndKill(t, path, 20+50*round)
		db, err := Open(Config{Path: path, SweepEvery: -1})
		if err != nil {
			t.Fatal(err)
		}
		held := map[string]int64{}
		for _, pk := range []string{"a", "b"} {
			out, err := db.getItem(&getItemInput{TableName: "units", Key: ddb.Item{"pk": ddb.S(pk)}})
			if err != nil {
				t.Fatal(err)
			}
			held[pk], _ = out.Item["held"].Number().Int64()
		}
		if held["b"] < reported || held["a"]+held["b"] != 0 {
			t.Errorf("round %d: %v, though %d were reported", round, held, reported)
		}
		last := map[string]int64{}
		for _, r := range allRecords(t, db) {
			last[r.Dynamodb.Keys["pk"].Str()], _ = r.Dynamodb.NewImage["held"].Number().Int64()
		}
		if last["a"] != held["a"] || last["b"] != held["b"] {
			t.Errorf("round %d: the stream ends at %v, the table holds %v", round, last, held)
		}
		if err := db.file.View(func(tx *bolt.Tx) error {
			for err := range tx.Check() {
				t.Errorf("round %d: the file: %v", round, err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// runAndKill starts a child, kills it after so many reports and gives the last
// one.
func runAndKill(t *testing.T, path string, reports int) (last int64) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), crashPath+"="+path)
	var complaints strings.Builder
	child.Stderr = &complaints
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if n == reports {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		if last, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if err := child.Wait(); child.ProcessState.Success() || complaints.Len() > 0 {
		t.Fatalf("the child ended by itself: %v, %s", err, complaints.String())
	}
	return last
}

func allRecords(t *testing.T, db *DB) []wireRecord {
	t.Helper()
	table, err := db.find("units")
	if err != nil {
		t.Fatal(err)
	}
	at, err := db.getShardIterator(&getShardIteratorInput{StreamArn: table.Stream.ARN, ShardId: table.Stream.shard(), ShardIteratorType: "TRIM_HORIZON"})
	if err != nil {
		t.Fatal(err)
	}
	var all []wireRecord
	for iterator := at.ShardIterator; ; {
		out, err := db.getRecords(&getRecordsInput{ShardIterator: iterator})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Records) == 0 {
			return all
		}
		all, iterator = append(all, out.Records...), *out.NextShardIterator
	}
}
