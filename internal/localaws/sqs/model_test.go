package sqs

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// modelMessage is a message as the rules see it.
type modelMessage struct {
	id, group, handle string
	visible           time.Time
	received          bool // the handle is of a receive whose timeout counts
	count             int
}

// A model is a queue without any index: a list.
type model struct {
	s        *service
	fifo     bool
	queue    string
	now      time.Time
	messages []*modelMessage
	old      []string // handles that are over
	sent     int
}

func (d *model) inFlight(one *modelMessage) bool { return one.received && one.visible.After(d.now) }

// available gives what a receive may give now, in the order of sending.
func (d *model) available() []*modelMessage {
	blocked := map[string]bool{}
	if d.fifo {
		for _, one := range d.messages {
			if d.inFlight(one) {
				blocked[one.group] = true
			}
		}
	}
	var list []*modelMessage
	for _, one := range d.messages {
		if !one.visible.After(d.now) && !blocked[one.group] {
			list = append(list, one)
		} else if d.fifo {
			blocked[one.group] = true // later ones of the group wait
		}
	}
	return list
}

func (d *model) send(t *rapid.T) {
	d.sent++
	in := m{"QueueUrl": d.queue, "MessageBody": fmt.Sprint(d.sent)}
	one := &modelMessage{visible: d.now}
	if d.fifo {
		one.group = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "group")
		in["MessageGroupId"] = one.group
	} else {
		delay := rapid.IntRange(0, 3).Draw(t, "delay")
		in["DelaySeconds"] = delay
		one.visible = d.now.Add(time.Duration(delay) * time.Second)
	}
	one.id = d.s.do("SendMessage", in)["MessageId"].(string)
	d.messages = append(d.messages, one)
}

func (d *model) receive(t *rapid.T) {
	n := rapid.IntRange(1, 10).Draw(t, "n")
	seconds := rapid.IntRange(0, 4).Draw(t, "visibility")
	list := d.available()
	got := d.s.receive(d.queue, m{"MaxNumberOfMessages": n, "VisibilityTimeout": seconds})
	if len(got) != min(n, len(list)) {
		t.Fatalf("received %d messages of %d that were there, wanted %d", len(got), len(list), n)
	}
	taken := map[string]bool{}
	for _, answer := range got {
		one := d.find(t, list, answer["MessageId"].(string))
		if taken[one.id] {
			t.Fatalf("message %s twice in one answer", one.id)
		}
		for _, before := range list {
			if before == one {
				break
			}
			if d.fifo && before.group == one.group && !taken[before.id] {
				t.Fatalf("group %s: %s before %s", one.group, one.id, before.id)
			}
		}
		taken[one.id] = true
		if one.handle != "" {
			d.old = append(d.old, one.handle)
		}
		one.count++
		if system(answer, "ApproximateReceiveCount") != fmt.Sprint(one.count) {
			t.Fatalf("count %s, want %d", system(answer, "ApproximateReceiveCount"), one.count)
		}
		one.handle, one.received, one.visible = answer["ReceiptHandle"].(string), true, d.now.Add(time.Duration(seconds)*time.Second)
	}
}

func (d *model) find(t *rapid.T, list []*modelMessage, id string) *modelMessage {
	for _, one := range list {
		if one.id == id {
			return one
		}
	}
	t.Fatalf("received %s, which was not there", id)
	return nil
}

func (d *model) pick(t *rapid.T) *modelMessage {
	if len(d.messages) == 0 {
		t.Skip("empty")
	}
	one := rapid.SampledFrom(d.messages).Draw(t, "message")
	if one.handle == "" {
		t.Skip("never received")
	}
	return one
}

func (d *model) remove(t *rapid.T) {
	one := d.pick(t)
	_, err := d.s.try("DeleteMessage", m{"QueueUrl": d.queue, "ReceiptHandle": one.handle})
	if d.fifo && !d.inFlight(one) {
		if err == nil {
			t.Fatal("FIFO: deleted with a handle that is over")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.messages {
		if d.messages[i] == one {
			d.messages = append(d.messages[:i], d.messages[i+1:]...)
			break
		}
	}
	d.old = append(d.old, one.handle)
}

func (d *model) change(t *rapid.T) {
	one := d.pick(t)
	seconds := rapid.IntRange(0, 4).Draw(t, "visibility")
	_, err := d.s.try("ChangeMessageVisibility", m{"QueueUrl": d.queue, "ReceiptHandle": one.handle, "VisibilityTimeout": seconds})
	if (err == nil) != d.inFlight(one) {
		t.Fatalf("in flight %v, error %v", d.inFlight(one), err)
	}
	if err == nil {
		one.visible, one.received = d.now.Add(time.Duration(seconds)*time.Second), seconds > 0
	}
}

// useOld shows that a handle that is over changes nothing.
func (d *model) useOld(t *rapid.T) {
	if len(d.old) == 0 {
		t.Skip("none")
	}
	handle := rapid.SampledFrom(d.old).Draw(t, "handle")
	_, _ = d.s.try("DeleteMessage", m{"QueueUrl": d.queue, "ReceiptHandle": handle}) // FIFO refuses, standard does nothing
	if _, err := d.s.try("ChangeMessageVisibility", m{"QueueUrl": d.queue, "ReceiptHandle": handle, "VisibilityTimeout": 1}); err == nil {
		t.Fatal("an old handle changed the visibility")
	}
}

func (d *model) check(t *rapid.T) {
	visible, flying := 0, 0
	for _, one := range d.messages {
		if d.inFlight(one) {
			flying++
		} else if !one.visible.After(d.now) {
			visible++
		}
	}
	want := fmt.Sprintf("%d/%d/%d", visible, flying, len(d.messages)-visible-flying)
	if got := d.s.counts(d.queue); got != want {
		t.Fatalf("visible/in flight/delayed: got %s, want %s", got, want)
	}
}

// A queue under any sequence of calls, passages of time and restarts does what a
// plain list does.
func TestQueueAgainstModel(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		t.Run(fmt.Sprint("fifo ", fifo), func(t *testing.T) {
			dir, run := t.TempDir(), 0
			rapid.Check(t, func(rt *rapid.T) {
				run++
				d := &model{fifo: fifo, now: time.UnixMilli(1_700_000_000_000)}
				path := filepath.Join(dir, fmt.Sprint(run))
				open := func() {
					db, err := Open(Config{Path: path, Now: func() time.Time { return d.now }})
					if err != nil {
						rt.Fatal(err)
					}
					d.s = &service{TB: t, db: db, path: path}
				}
				open()
				defer func() { _ = d.s.db.Close() }()
				if fifo {
					d.queue = d.s.queue("q.fifo", m{"FifoQueue": "true", "ContentBasedDeduplication": "true"})
				} else {
					d.queue = d.s.queue("q", nil)
				}
				rt.Repeat(map[string]func(*rapid.T){
					"": d.check, "send": d.send, "receive": d.receive, "delete": d.remove, "change": d.change, "old handle": d.useOld,
					"time": func(t *rapid.T) {
						d.now = d.now.Add(time.Duration(rapid.IntRange(1, 3000).Draw(t, "ms")) * time.Millisecond)
					},
					"restart": func(t *rapid.T) { _ = d.s.db.Close(); open() },
				})
			})
		})
	}
}
