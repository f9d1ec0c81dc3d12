package sqssim_test

import (
	"fmt"
	"testing"

	"github.com/nightshift-go/nightshift/internal/sqssim"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

func TestANoisyTenantKeepsNobodyWaiting(t *testing.T) {
	b := newBench(t, sqssim.Config{})
	send := func(group, body string) {
		if err := b.client.Send(t.Context(), sqssim.URL("mails"), []queue.Outgoing{{Body: body, Group: group}})[0]; err != nil {
			t.Fatal(err)
		}
	}
	for i := range 1000 {
		send("noisy", fmt.Sprint(i))
	}
	b.want("mails", 2, "0", "1")
	send("ann", "of ann")
	send("", "of nobody")
	b.want("mails", 3, "of ann", "of nobody", "2")
}
