package notices_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/outbox"
)

func world(t *testing.T, config nightshifttest.Config) (*publishtest.World, *notices.Notices) {
	t.Helper()
	w := publishtest.New(t, config)
	n, err := notices.New(w.Table, w.Kit.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.Serve(tasks.NoticesHear, n.Follow)
	return w, n
}

func wantInbox(t *testing.T, n *notices.Notices, reader string, unread int, texts ...string) {
	t.Helper()
	list, _, err := n.List(t.Context(), reader, "")
	got := []string{}
	for _, notice := range list {
		got = append(got, notice.Text)
	}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(texts) {
		t.Errorf("%s was told %q, want %q; %v", reader, got, texts, err)
	}
	if count, err := n.Unread(t.Context(), reader); err != nil || count != unread {
		t.Errorf("%s has %d unread, want %d; %v", reader, count, unread, err)
	}
}

// TestWhoAskedIsToldOnce: rows and counts are right where processes die and the walk
// comes again.
func TestWhoAskedIsToldOnce(t *testing.T) {
	w, n := world(t, nightshifttest.Config{Duplicates: true, Shuffle: true})
	w.Follow(2100, 7)
	recipe := w.Publish(publishtest.Content("Soup"))
	w.Kit.RunAll(t.Context())
	// A recipe that is released again is told to those who were not told before.
	if err := w.Kit.Outbox.Transact(t.Context(), outbox.Publish(recipe.Turned().Happened(tasks.RecipeCleared))); err != nil {
		t.Fatal(err)
	}
	w.Kit.RunAll(t.Context())

	for _, reader := range []string{"r0", "r994", "r1001", "r2093"} { // sevens, on both sides of a run's end
		wantInbox(t, n, reader, 1, "Ada published “Soup”")
	}
	wantInbox(t, n, "r1", 0)
	if rows := w.Rows("inbox#"); rows != 300 {
		t.Errorf("%d notices were written, want 300", rows)
	}
	progress, err := recipes.ProgressOf(t.Context(), w.Table, recipe)
	if p := progress.Notices; err != nil || p.Stage != recipes.Done || p.Reached != 300 || p.Of != 300 {
		t.Errorf("the progress is %+v, %v", p, err)
	}
}

func TestNobodyIsToldOfWhatIsGone(t *testing.T) {
	w, n := world(t, nightshifttest.Config{})
	w.Follow(2, 1)
	w.Delete(w.Publish(publishtest.Content("Deleted")))
	held := w.Publish(publishtest.Content("Held"))
	if err := recipes.Hold(w.Table.Change(), held).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Kit.RunAll(t.Context())
	wantInbox(t, n, "r1", 0)
}

func TestReading(t *testing.T) {
	w, n := world(t, nightshifttest.Config{})
	tell := func(id string, at time.Duration) {
		t.Helper()
		notice := notices.Notice{ID: id, Kind: "reminder", Text: id, At: w.Kit.Now().Add(at), Told: w.Kit.Now()}
		for range 2 { // the second time changes nothing
			if err := notices.Tell(t.Context(), w.Table, "bob", notice); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantInbox(t, n, "bob", 0)
	tell("first", 0)
	tell("second", time.Second)
	wantInbox(t, n, "bob", 2, "second", "first")
	w.Kit.Advance(t.Context(), time.Minute)
	if err := n.MarkRead(t.Context(), "bob"); err != nil {
		t.Fatal(err)
	}
	w.Kit.Advance(t.Context(), time.Minute)
	tell("late", -time.Hour) // it happened before, and is new to bob
	wantInbox(t, n, "bob", 1, "second", "first", "late")
	list, _, err := n.List(t.Context(), "bob", "")
	if err != nil || !list[0].Read || !list[1].Read || list[2].Read {
		t.Errorf("the inbox is %+v, %v", list, err)
	}
	if _, _, err := n.List(t.Context(), "bob", "!"); !errors.Is(err, rows.ErrCursor) {
		t.Errorf("a foreign cursor: %v", err)
	}
}

func TestInboxesHavePages(t *testing.T) {
	w, n := world(t, nightshifttest.Config{})
	for i := range 45 {
		notice := notices.Notice{ID: fmt.Sprint(i), At: w.Kit.Now().Add(time.Duration(i) * time.Second)}
		if err := notices.Tell(t.Context(), w.Table, "bob", notice); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for after := ""; ; {
		list, next, err := n.List(t.Context(), "bob", after)
		if err != nil {
			t.Fatal(err)
		}
		for _, notice := range list {
			if notice.Read {
				t.Errorf("notice %s is shown as read, and nobody has read it", notice.ID)
			}
			ids = append(ids, notice.ID)
		}
		if after = next; after == "" {
			break
		}
	}
	if len(ids) != 45 || ids[0] != "44" || ids[44] != "0" {
		t.Errorf("the pages have %v", ids)
	}
}
