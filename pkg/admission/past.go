package admission

import "time"

// mostRemembered is how many depths are remembered, over twice the longest wait.
const mostRemembered = 64

// A past is how deep the queue was believed to be, over twice the longest wait.
type past struct {
	// every is the time between two looks that are remembered; zero remembers none.
	every time.Duration
	looks []look
	next  int
}

// A look is a depth at a time.
type look struct {
	at    time.Time
	depth int
}

func newPast(longest time.Duration) past {
	return past{every: 2 * longest / mostRemembered}
}

// note remembers a depth, where the last one is old enough.
func (p *past) note(at time.Time, depth int) {
	if p.every <= 0 || len(p.looks) > 0 && at.Sub(p.last().at) < p.every {
		return
	}
	if len(p.looks) < mostRemembered {
		p.looks = append(p.looks, look{at, depth})
		return
	}
	p.looks[p.next] = look{at, depth}
	p.next = (p.next + 1) % mostRemembered
}

func (p *past) last() look { return p.looks[(p.next+len(p.looks)-1)%len(p.looks)] }

// depth gives how deep the queue was at a time. It is not known before the first look,
// nor where nobody looked for long.
func (p *past) depth(at time.Time) (depth int, known bool) {
	for i := len(p.looks) - 1; i >= 0; i-- {
		l := p.looks[(p.next+i)%len(p.looks)]
		if !l.at.After(at) {
			return l.depth, at.Sub(l.at) <= 4*p.every
		}
	}
	return 0, false
}
