package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/client"
)

func dead(code string, attempts int) client.Job {
	return client.Job{State: "dead", Attempts: attempts, Error: &client.JobError{Code: code, Message: "Because."}}
}

func TestCheck(t *testing.T) {
	own, good, bad := photo{own: true}, photo{}, photo{want: "heic_not_supported"}
	rejection := &client.ResponseError{Status: 415, Detail: "images are taken"}
	for name, c := range map[string]struct {
		result
		want string // "" where it ended as it should
	}{
		"a bad sample, refused":              {result{photo: bad, job: dead("heic_not_supported", 1)}, ""},
		"a bad sample, refused too late":     {result{photo: bad, job: dead("heic_not_supported", 2)}, "after 2 attempts"},
		"a bad sample, for another reason":   {result{photo: bad, job: dead("corrupt", 1)}, "with the code corrupt"},
		"a bad sample, done":                 {result{photo: bad, job: client.Job{State: "done", Attempts: 1}}, "should be dead"},
		"an empty sample":                    {result{photo: photo{want: "empty"}, refused: rejection}, ""},
		"a good sample, refused":             {result{photo: good, job: dead("corrupt", 1)}, "the job is dead: Because."},
		"a good sample, not taken":           {result{photo: good, refused: rejection}, "images are taken"},
		"one's own, refused":                 {result{photo: own, job: dead("heic_not_supported", 1)}, ""},
		"one's own, not taken":               {result{photo: own, refused: rejection}, ""},
		"one's own, dead for no fault of it": {result{photo: own, job: dead("panic", 1)}, "the job is dead"},
		"one's own, dead after retries":      {result{photo: own, job: dead("corrupt", 5)}, "the job is dead"},
		"one's own, done without files":      {result{photo: own, job: client.Job{State: "done"}}, "0 files"},
	} {
		t.Run(name, func(t *testing.T) {
			err := check(t.Context(), "http://127.0.0.1:0", c.result)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestReport(t *testing.T) {
	fine := result{photo: photo{name: "a.jpg"}, job: client.Job{State: "done", Attempts: 1}, took: 1234 * time.Millisecond}
	turnedAway := result{photo: photo{name: "b.heic", own: true}, job: dead("heic_not_supported", 1)}
	broken := result{photo: photo{name: "c.jpg"}, job: dead("panic", 5), err: os.ErrDeadlineExceeded}
	for _, c := range []struct {
		results []result
		wrong   int
		want    []string
	}{
		{[]result{fine}, 0, []string{"1.23s", "All ended as it should: 1 photograph resized."}},
		{[]result{fine, turnedAway}, 0, []string{"heic_not_supported: Because.", "All ended as it should: 1 photograph resized, 1 refused for the reason given."}},
		{[]result{fine, broken}, 1, []string{"WRONG  c.jpg", "i/o timeout"}},
	} {
		var out strings.Builder
		if wrong := report(&out, c.results); wrong != c.wrong {
			t.Errorf("%d are wrong, want %d", wrong, c.wrong)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("there is no %q in\n%s", want, &out)
			}
		}
		if strings.Contains(out.String(), "as it should") != (c.wrong == 0) {
			t.Errorf("with %d wrong it says\n%s", c.wrong, &out)
		}
	}
}

func TestLoad(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.JPG", "b.heif", "notes.txt", "noending"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"":          "a.JPG image/jpeg, b.heif image/heic",
		"a.JPG":     "a.JPG image/jpeg",
		"notes.txt": "by its name",
		"noending":  "by its name",
		"nowhere":   "no such file",
	} {
		photos, err := load(filepath.Join(folder, path))
		got := make([]string, len(photos))
		for i, p := range photos {
			got[i] = p.name + " " + p.contentType
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if !strings.Contains(strings.Join(got, ", "), want) {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
	if _, err := load(t.TempDir()); err == nil {
		t.Error("an empty folder is taken")
	}
	if photos, err := load(""); err != nil || len(photos) == 0 || photos[0].own {
		t.Errorf("the samples: %d, %v", len(photos), err)
	}
}
