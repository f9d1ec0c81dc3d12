package e2e_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/exports"
	"github.com/nightshift-go/nightshift/internal/crumb/imports"
	"github.com/nightshift-go/nightshift/internal/crumb/reminders"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/trending"
	"github.com/nightshift-go/nightshift/pkg/client"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// TestExport: the click, the status, the mail, the archive.
func TestExport(t *testing.T) {
	ada := newcomer(t, "Ada")
	recipe := ada.published(soup("Soup to take along"))
	status := told[exports.Status](ada, http.StatusAccepted, "POST", "/exports", nil)
	again := told[exports.Status](ada, http.StatusAccepted, "POST", "/exports", nil)
	mails := 1
	if again.ID != status.ID { // then the first was done before
		if status = told[exports.Status](ada, http.StatusOK, "GET", status.StatusURL, nil); !status.State.Final() {
			t.Errorf("a second export is under way: %s and %s", status.ID, again.ID)
		}
		mails, status = 2, again
	}
	until(t, "the export", func() bool {
		status = told[exports.Status](ada, http.StatusOK, "GET", status.StatusURL, nil)
		return status.State == lifecycle.Done
	})
	mail := latest(ada, ada.reader.Email, mails)
	if !strings.Contains(mail.Text, status.URL) {
		t.Errorf("the mail does not lead to %s:\n%s", status.URL, mail.Text)
	}
	data := nobody(t).does(http.StatusOK, "GET", status.URL, nil) // after the redirect
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := archive.Open("recipes/" + recipe.ID + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(file); err != nil || !strings.Contains(string(text), "Soup to take along") {
		t.Errorf("the recipe in it: %s, %v", text, err)
	}
	nobody(t).does(http.StatusUnauthorized, "GET", status.StatusURL, nil)
	newcomer(t, "Eve").does(http.StatusNotFound, "GET", status.StatusURL, nil)
}

// TestPDF: ordered, prepared, downloaded.
func TestPDF(t *testing.T) {
	recipe := newcomer(t, "Ada").published(soup("Soup on paper"))
	reader := nobody(t)
	order := told[client.Job](reader, http.StatusAccepted, "POST", "/api/recipes/"+recipe.ID+"/pdf", nil)
	var done client.Job
	until(t, "the PDF", func() bool {
		done = told[client.Job](reader, http.StatusOK, "GET", "/jobs/"+string(order.ID), nil)
		return done.State == string(lifecycle.Done)
	})
	var result tasks.PDF
	if err := json.Unmarshal(done.Result, &result); err != nil {
		t.Fatal(err)
	}
	if pdf := reader.does(http.StatusOK, "GET", result.URL, nil); !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) != result.Bytes {
		t.Errorf("%d bytes that begin with %.8q, want %d", len(pdf), pdf, result.Bytes)
	}
	reader.does(http.StatusNotFound, "GET", result.URL+"9", nil)
}

// TestImport brings a file along, of which two lines are bad.
func TestImport(t *testing.T) {
	ada := newcomer(t, "Ada")
	uploader, ctx := newClient(t)
	key, err := uploader.Upload(ctx, tasks.ImportLines, []byte(strings.Join([]string{
		`{"title":"Brought soup","ingredients":["1 onion"],"steps":[]}`,
		`{"title":`,
		`{"@type":"Recipe","name":"Brought stew","recipeIngredient":["2 onions"]}`,
		`{"@type":"Recipe"}`,
	}, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	status := told[imports.Status](ada, http.StatusAccepted, "POST", "/api/imports", map[string]string{"key": key})
	until(t, "the import", func() bool {
		status = told[imports.Status](ada, http.StatusOK, "GET", "/api/imports/"+status.ID, nil)
		return status.State == lifecycle.Done
	})
	if status.Imported != 2 || status.Done != 4 || len(status.Bad) != 2 || status.Bad[0].Line != 2 || status.Bad[1].Line != 4 {
		t.Errorf("%+v", status)
	}
	until(t, "the notice", func() bool { return len(ada.inbox()) == 1 })
}

// TestReminder is moved to a moment from now, and comes then, in the inbox and by mail.
// Another is cancelled.
func TestReminder(t *testing.T) {
	ada := newcomer(t, "Ada")
	recipe := ada.published(soup("Soup for later"))
	path := "/api/recipes/" + recipe.ID + "/reminders"
	reminder := told[reminders.Reminder](ada, http.StatusAccepted, "POST", path, map[string]int{"days": 30})
	other := told[reminders.Reminder](ada, http.StatusAccepted, "POST", path, map[string]int{"days": 7})
	soon := time.Now().Add(8 * time.Second)
	ada.does(http.StatusNoContent, "PUT", "/api/reminders/"+reminder.ID, map[string]time.Time{"at": soon})
	ada.does(http.StatusNoContent, "DELETE", "/api/reminders/"+other.ID, nil)
	until(t, "the reminder", func() bool { return len(ada.inbox()) == 1 })
	if early := time.Until(soon); early > 0 {
		t.Errorf("it came %v early", early)
	}
	latest(ada, ada.reader.Email, 1)
	if left := told[map[string][]reminders.Reminder](ada, http.StatusOK, "GET", "/api/reminders", nil)["reminders"]; len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
	ada.does(http.StatusBadRequest, "POST", path, map[string]any{"days": 7, "at": soon})
	nobody(t).does(http.StatusUnauthorized, "POST", path, map[string]int{"days": 7})
}

// TestTrending: what is looked at and saved is on the list after the next recount.
func TestTrending(t *testing.T) {
	ada := newcomer(t, "Ada")
	recipe := ada.published(soup("Soup that everyone saves"))
	for i := range 3 {
		fan := newcomer(t, fmt.Sprint("Fan", i))
		fan.does(http.StatusNoContent, "PUT", "/api/recipes/"+recipe.ID+"/save", nil)
		fan.does(http.StatusNoContent, "POST", "/api/recipes/"+recipe.ID+"/views", nil)
	}
	// The stack's own schedule has had the present occurrence, perhaps.
	next := time.Now().UTC().Truncate(5 * time.Minute).Add(5 * time.Minute)
	event := fmt.Sprintf(`{"periodic":"trending","time":%q}`, next.Format(time.RFC3339))
	if result, err := crumb.Invoke(t.Context(), "schedules", []byte(event)); err != nil || result.FunctionError != "" {
		t.Fatalf("the schedule: %v, %s", err, result.Payload)
	}
	until(t, "the list", func() bool {
		for _, entry := range told[trending.List](nobody(t), http.StatusOK, "GET", "/api/trending", nil).Recipes {
			// Three saves are worth 15, and 13.4 where the next occurrence is in
			// the next hour. The views may wait in the function's memory.
			if entry.ID == recipe.ID && entry.Score > 13 {
				return true
			}
		}
		return false
	})
}
