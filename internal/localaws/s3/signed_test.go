package s3

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/aws/aws-sdk-go-v2/service/s3"
)

// A URL is signed by the machine's clock, and its life is the stack's time.
func TestALinkLivesByTheClock(t *testing.T) {
	s := open(t)
	ahead := 240 * time.Hour
	s.offset.Store(int64(ahead))
	s.db.cfg.Signed = func(machine time.Time) time.Time { return machine.Add(ahead) }
	if _, err := s.put("export.zip", "x"); err != nil {
		t.Fatal(err)
	}
	link := s.presignGet(&client.GetObjectInput{Key: aws.String("export.zip")}, time.Hour)
	if status, _, body := s.raw(http.MethodGet, link, "", nil); status != 200 || body != "x" {
		t.Errorf("a fresh link: %d %s", status, body)
	}
	s.offset.Store(int64(ahead + 59*time.Minute))
	if status, _, body := s.raw(http.MethodGet, link, "", nil); status != 200 {
		t.Errorf("after 59 minutes: %d %s", status, body)
	}
	s.offset.Store(int64(ahead + 61*time.Minute))
	if status, _, body := s.raw(http.MethodGet, link, "", nil); status != 403 || !strings.Contains(body, "Request has expired") {
		t.Errorf("after 61 minutes: %d %s", status, body)
	}
}
