package sqs

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/drawn"
)

const crashFile = "NIGHTSHIFT_TEST_SQS_FILE"

// TestMain turns the test binary into the process that TestCrash kills.
func TestMain(m *testing.M) {
	if path := os.Getenv(crashFile); path != "" {
		if err := sendForever(path); err != nil {
			fmt.Println("error", err)
		}
		return
	}
	drawn.Main(m)
}

// sendForever sends, receives every third message and deletes every sixth, and
// says what has been answered.
func sendForever(path string) error {
	db, err := Open(Config{Path: path})
	if err != nil {
		return err
	}
	url := "http://local/000000000000/q"
	if _, err := db.createQueue(context.Background(), &createQueueInput{QueueName: "q", Attributes: map[string]string{"VisibilityTimeout": "43200"}}); err != nil {
		return err
	}
	for i := 0; ; i++ {
		sent, err := db.sendMessage(context.Background(), &sendInput{QueueURL: url, entry: entry{MessageBody: strings.Repeat("x", 200)}})
		if err != nil {
			return err
		}
		fmt.Println("sent", sent.MessageID)
		if i%3 != 0 {
			continue
		}
		got, err := db.receiveMessage(context.Background(), &receiveInput{QueueURL: url})
		if err != nil {
			return err
		}
		fmt.Println("received", got.Messages[0].MessageID)
		if i%6 == 0 {
			if _, err := db.deleteMessage(context.Background(), &deleteInput{url, got.Messages[0].ReceiptHandle}); err != nil {
				return err
			}
			fmt.Println("deleted", got.Messages[0].MessageID)
		}
	}
}

// What was answered holds after kill -9, at whatever moment it comes.
func TestCrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sqs.db")
	state := map[string]string{} // last answer by message
	for round := 1; round <= 4; round++ {
		killAfter(t, path, 150*round, state)
		s := &service{TB: t, path: path}
		s.reopen()
		for id, last := range state {
			found := ""
			for _, one := range s.db.queues["q"].messages {
				if one.ID == id {
					found = "sent"
					if one.InFlight && one.Count == 1 {
						found = "received"
					}
				}
			}
			// An operation whose answer was on its way may have been carried out.
			switch {
			case last == "deleted" && found != "", last != "deleted" && found == "" && last != "received", last == "received" && found == "sent":
				t.Errorf("round %d: message %s was %s, and is %q", round, id, last, found)
			}
		}
		if err := s.db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killAfter runs a child until it has said so much, and kills it.
func killAfter(t *testing.T, path string, lines int, state map[string]string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), crashFile+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	for n := 0; scanner.Scan(); n++ {
		what, id, _ := strings.Cut(scanner.Text(), " ")
		if what == "error" {
			t.Fatal(id)
		}
		state[id] = what
		if n == lines {
			if err := child.Process.Kill(); err != nil { // SIGKILL
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
}
