package fairqueue_test

import (
	"fmt"
	"testing"

	"github.com/nightshift-go/nightshift/internal/fairqueue"
)

func TestWhoIsNoisy(t *testing.T) {
	var s fairqueue.Shares
	if s.Noisy("a") || s.Compare("a", "b") != 0 {
		t.Error("nobody has anything")
	}
	for range 29 {
		s.InFlight("a", 1)
	}
	if s.Noisy("a") {
		t.Error("29 in flight are few")
	}
	s.InFlight("a", 1)
	if !s.Noisy("a") || s.Noisy("b") || s.Compare("b", "a") >= 0 || s.Compare("a", "b") <= 0 {
		t.Error("30 of 30 are not")
	}
	for range 270 {
		s.InFlight("", 1)
	}
	if s.Noisy("a") || s.Noisy("") {
		t.Error("a tenth is a fair share, and messages without a group are a tenant each")
	}
	s.InFlight("", -1)
	if !s.Noisy("a") {
		t.Error("30 of 299 are more than a tenth")
	}
}

func TestRecentReceives(t *testing.T) {
	var s fairqueue.Shares
	for i := range 90 {
		s.Received(fmt.Sprint(i))
	}
	for range 10 {
		s.Received("a")
	}
	if s.Noisy("a") {
		t.Error("ten of a hundred are a fair share")
	}
	s.Received("a")
	if !s.Noisy("a") {
		t.Error("eleven of a hundred are not")
	}
	for i := range 100 {
		s.Received(fmt.Sprint(i))
	}
	if s.Noisy("a") {
		t.Error("once noisy, for ever noisy")
	}
}

func TestAmongTheNoisyTheOneWithLeastComesFirst(t *testing.T) {
	var s fairqueue.Shares
	for range 10 {
		s.Received("a")
	}
	for range 5 {
		s.Received("b")
	}
	if s.Compare("a", "b") <= 0 || s.Compare("b", "a") >= 0 {
		t.Error("a had more of late")
	}
	s.InFlight("b", 1)
	if s.Compare("a", "b") >= 0 {
		t.Error("b has more in flight")
	}
}
