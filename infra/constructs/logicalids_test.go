package constructs

import "testing"

func TestID(t *testing.T) {
	for name, want := range map[string]string{"photos": "Photos", "weekly-mail": "WeeklyMail", "a-1": "A1", "a--b": "AB"} {
		if got := ID(name); got != want {
			t.Errorf("ID(%q) = %q, want %q", name, got, want)
		}
	}
}
