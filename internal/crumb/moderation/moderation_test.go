package moderation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/feeds"
	"github.com/nightshift-go/nightshift/internal/crumb/moderation"
	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/search"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// siteWith is a site with all four subscribers.
type siteWith struct {
	*publishtest.World
	t       *testing.T
	index   *search.Index
	feeds   *feeds.Feeds
	notices *notices.Notices
}

func world(t *testing.T, config nightshifttest.Config) siteWith {
	t.Helper()
	w := siteWith{World: publishtest.New(t, config), t: t}
	m, err := moderation.New(w.Table, w.Kit.Outbox, w.Kit.Now)
	if err != nil {
		t.Fatal(err)
	}
	if w.index, err = search.New(w.Table, w.Kit.Now); err != nil {
		t.Fatal(err)
	}
	if w.feeds, err = feeds.New(w.Table, w.Kit.Now); err != nil {
		t.Fatal(err)
	}
	if w.notices, err = notices.New(w.Table, w.Kit.Now); err != nil {
		t.Fatal(err)
	}
	w.Serve(tasks.ModerationHears, m.Follow)
	w.Kit.Serve(worker.Handle(tasks.SendUrgent, func(context.Context, *job.Job[tasks.SendMail]) error { return nil }))
	w.Serve(tasks.SearchHears, w.index.Follow)
	w.Serve(tasks.FeedsHear, w.feeds.Follow)
	w.Serve(tasks.NoticesHear, w.notices.Follow)
	w.Follow(3, 1)
	return w
}

// read gives a recipe as it is.
func (w siteWith) read(id string) recipes.Recipe {
	w.t.Helper()
	recipe, err := recipes.Read(w.t.Context(), w.Table, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return recipe
}

// wantSeen fails unless everybody sees just these titles: in search, a feed, the
// author's list and that of the newest.
func (w siteWith) wantSeen(titles ...string) {
	w.t.Helper()
	ctx := w.t.Context()
	found, _, err := w.index.Search(ctx, "soup", "")
	if err != nil {
		w.t.Fatal(err)
	}
	feed, _, err := w.feeds.Page(ctx, "r2", "")
	if err != nil {
		w.t.Fatal(err)
	}
	recent, err := w.Recipes.Recent(ctx, "")
	if err != nil {
		w.t.Fatal(err)
	}
	for list, got := range map[string][]string{"search": titlesOf(found), "feed": titlesOf(feed), "newest": titlesOf(recent.Recipes)} {
		slices.Sort(got)
		if !slices.Equal(got, titles) {
			w.t.Errorf("the list of %s has %q, want %q", list, got, titles)
		}
	}
}

func titlesOf[T any](list []T) []string {
	titles := []string{}
	for _, item := range list {
		switch item := any(item).(type) {
		case search.Found:
			titles = append(titles, item.Title)
		case recipes.Card:
			titles = append(titles, item.Title)
		case recipes.Entry:
			titles = append(titles, item.Title)
		}
	}
	return titles
}

var spam = publishtest.Content("Spam soup", "Buy now, act now, click here!")

// TestSpamIsHeldAndReleased goes the whole way, in any order and with processes that
// die.
func TestSpamIsHeldAndReleased(t *testing.T) {
	for seed := range uint64(10) {
		w := world(t, nightshifttest.Config{Seed: seed, Shuffle: true, Duplicates: true})
		fine := w.Publish(publishtest.Content("Fine soup", "Stir."))
		held := w.Publish(spam)
		w.Kit.RunAll(t.Context())
		if got := w.read(held.ID); got.State != recipes.Held || w.read(fine.ID).State != recipes.Published {
			t.Fatalf("seed %d: the spam is %s, the other recipe %s", seed, got.State, w.read(fine.ID).State)
		}
		w.wantSeen("Fine soup")
		inbox, _, err := w.notices.List(t.Context(), publishtest.Ada, "")
		if err != nil || len(inbox) != 1 || inbox[0].Kind != "held" || !strings.Contains(inbox[0].Text, "“click here”") {
			t.Errorf("the author is told %+v, %v", inbox, err)
		}

		still := w.Edit(w.read(held.ID), publishtest.Content("Spam soup again", "Buy now, act now, click here!"))
		w.Kit.RunAll(t.Context())
		w.wantSeen("Fine soup")
		w.Edit(still, publishtest.Content("Ham soup", "Stir."))
		w.Kit.RunAll(t.Context())
		w.wantSeen("Fine soup", "Ham soup")
		if n, err := w.notices.Unread(t.Context(), publishtest.Ada); n != 3 || err != nil {
			t.Errorf("seed %d: the author has %d unread notices, want held, still held, cleared; %v", seed, n, err)
		}
		w.Edit(w.read(held.ID), spam)
		w.Kit.RunAll(t.Context())
		w.wantSeen("Fine soup")
		if progress, err := recipes.ProgressOf(t.Context(), w.Table, w.read(held.ID)); err != nil || progress.Spam != recipes.OnHold {
			t.Errorf("the progress is %+v, %v", progress, err)
		}
		if mails := nightshifttest.Enqueued(w.Kit, tasks.SendUrgent); len(mails) != 2 || mails[0].Args.To != publishtest.Ada || mails[0].Args.Template != "recipe-held" {
			t.Errorf("seed %d: it was held twice, and the author is sent %+v", seed, mails)
		}
	}
}

// TestEditsWhileChecksRun: whatever is in flight, in the end the recipe is as its last
// version deserves, and so is what everybody sees.
func TestEditsWhileChecksRun(t *testing.T) {
	for seed := range uint64(20) {
		w := world(t, nightshifttest.Config{Seed: seed, Shuffle: true, Duplicates: seed%2 == 0})
		r := w.Publish(spam)
		r = w.Edit(r, publishtest.Content("Ham soup", "Stir."))
		r = w.Edit(r, spam)
		w.Edit(r, publishtest.Content("Last soup", "Stir."))
		gone := w.Publish(spam)
		w.Delete(gone)
		w.Kit.RunAll(t.Context())
		w.wantSeen("Last soup")
	}
}

// TestAnEditWinsOverTheCheck: the author edits a recipe between its reading and the
// verdict. The verdict on the old version does nothing.
func TestAnEditWinsOverTheCheck(t *testing.T) {
	w := publishtest.New(t, nightshifttest.Config{})
	tampered := false
	var held recipes.Recipe
	m, err := moderation.New(w.Table, w.Kit.Outbox, w.Kit.Now)
	if err != nil {
		t.Fatal(err)
	}
	// The clock is asked once the recipe was read.
	m.SetNow(func() {
		if !tampered {
			tampered = true
			w.Edit(held, publishtest.Content("Ham soup", "Stir."))
		}
	})
	w.Serve(tasks.ModerationHears, m.Follow)
	held = w.Publish(spam)
	w.Kit.RunAll(t.Context())
	got, _, err := rows.Get[recipes.Recipe](t.Context(), w.Table, recipes.Key(held.ID))
	if err != nil || got.State != recipes.Published || got.Title != "Ham soup" || !tampered {
		t.Errorf("the recipe is %q, %s; %v", got.Title, got.State, err)
	}
}

func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		content recipes.Content
		spam    bool
		says    string
	}{
		"plain":        {publishtest.Content("Soup", "3 onions", "Stir for ten minutes."), false, ""},
		"one source":   {publishtest.Content("Soup", "From https://www.example.com/soup. Stir."), false, ""},
		"two links":    {publishtest.Content("Soup", "See https://a.example and https://b.example."), false, "2 links"},
		"many links":   {publishtest.Content("Soup", "https://a.example www.b.example http://c.example https://d.example"), true, "4 links"},
		"one phrase":   {publishtest.Content("Soup", "Click  HERE for the video."), false, "“click here”"},
		"casino":       {publishtest.Content("Soup", "The best online\ncasino."), true, "online casino"},
		"shouting":     {publishtest.Content("THE BEST SOUP", "STIR IT WELL, AND THEN STIR IT AGAIN UNTIL IT IS DONE"), false, "capitals"},
		"loud sales":   {publishtest.Content("BUY NOW", "STIR IT WELL, CLICK HERE AND THEN STIR IT AGAIN UNTIL DONE"), true, "capitals"},
		"repetition":   {publishtest.Content("Soup", strings.Repeat("viagra ", 12)), false, "12 of its"},
		"stir, stir":   {publishtest.Content("Soup", strings.Repeat("Stir well and then let it rest for one hour. ", 12)), false, ""},
		"another tong": {publishtest.Content("Борщ", "Варить свёклу два часа."), false, ""},
	} {
		v := moderation.Judge(test.content)
		if v.Spam() != test.spam || !strings.Contains(v.Reasons(), test.says) || test.says == "" && v.Score() != 0 {
			t.Errorf("%s: %d points, %q", name, v.Score(), v.Reasons())
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("buy now", "https://")
	f.Fuzz(func(t *testing.T, title, step string) {
		v := moderation.Judge(publishtest.Content(title, step))
		if v.Spam() && v.Reasons() == "" || v.Score() < 0 {
			t.Error(fmt.Sprint(v))
		}
	})
}
