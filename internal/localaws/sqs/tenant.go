package sqs

// sooner tells which of two messages can be received first.
func sooner(a, b *message) bool {
	return a.Visible < b.Visible || a.Visible == b.Visible && a.seq < b.seq
}

func place(m *message, i int) { m.index = i }

// readyFor is where a message of a standard queue waits that can be received: with
// those of its group, which in such a queue is its tenant.
func (q *queue) readyFor(m *message) *heapOf[*message] {
	if m.Group == "" {
		return q.ready
	}
	if q.tenants[m.Group] == nil {
		q.tenants[m.Group] = &heapOf[*message]{before: sooner, moved: place}
	}
	return q.tenants[m.Group]
}

// flies counts a message in flight, or one that no longer is (-1).
func (q *queue) flies(m *message, g *group, by int) {
	q.inFlight += by
	if g != nil {
		g.inFlight += by
		return
	}
	q.shares.InFlight(m.Group, by)
}

// next is the message of a standard queue that is delivered first: the oldest, and of
// noisy tenants after those of others. There must be one.
func (q *queue) next() *message {
	var next *message
	if q.ready.len() > 0 {
		next = q.ready.first()
	}
	for _, waiting := range q.tenants {
		m := waiting.first()
		if next == nil {
			next = m
			continue
		}
		if order := q.shares.Compare(m.Group, next.Group); order < 0 || order == 0 && sooner(m, next) {
			next = m
		}
	}
	return next
}
