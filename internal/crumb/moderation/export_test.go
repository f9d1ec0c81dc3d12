package moderation

import "time"

// SetNow has something done each time that the clock is asked.
func (m *Moderator) SetNow(first func()) {
	now := m.now
	m.now = func() time.Time { first(); return now() }
}
