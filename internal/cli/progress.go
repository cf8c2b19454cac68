package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"sluice/internal/kernel"
	"sluice/internal/session"
	"sluice/internal/termtext"
)

// progress tells on stderr what happens while a run is driven: one live line on a terminal, plain lines elsewhere.
// Events come from the goroutine that drives, warnings from any; mu guards what is on the screen.
type progress struct {
	w       io.Writer
	now     func() time.Time
	columns func() int // 0 where there is no terminal
	isLive  bool

	mu     sync.Mutex
	began  time.Time
	text   string // of the live line, without its clock
	tokens int
	shown  int           // columns that the live line takes on the screen
	stop   chan struct{} // ends the clock; nil while none runs
	done   chan struct{} // closed when the clock has ended
}

func (p *progress) observe(r *kernel.Run, events []kernel.Event) {
	if r.Line() == session.Name { // it may touch a thousand files at once; its answer says what was done
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	brief, names := passing(events), namesOf(r)
	for _, e := range events {
		text := clean(withNames(describe(e.Fact), names))
		if text == "" || brief[askOf(e.Fact)] {
			continue
		}
		if !p.isLive {
			fmt.Fprintln(p.w, text)
			continue
		}
		p.text = clean(termtext.ShortID(string(r.ID()))) + "  " + text
	}
	if p.isLive {
		u := r.Usage()
		p.tokens = u.InputTokens + u.OutputTokens
		p.draw()
		p.startClock()
	}
}

// passing are the asks that were opened and withdrawn in one breath: what they asked for came with them, and nobody was asked.
func passing(events []kernel.Event) map[kernel.AskID]bool {
	opened, brief := map[kernel.AskID]bool{}, map[kernel.AskID]bool{}
	for _, e := range events {
		switch f := e.Fact.(type) {
		case kernel.AskOpened:
			opened[f.Ask.ID] = true
		case kernel.AskClosed:
			if f.Withdrawn != "" && opened[f.Ask] {
				brief[f.Ask] = true
			}
		}
	}
	return brief
}

// askOf is the ask that a fact opens or closes, or nothing.
func askOf(f kernel.Fact) kernel.AskID {
	switch f := f.(type) {
	case kernel.AskOpened:
		return f.Ask.ID
	case kernel.AskClosed:
		return f.Ask
	}
	return ""
}

// warn shows a warning above the live line.
func (p *progress) warn(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(p.w, "warning: "+clean(message))
	if p.stop != nil {
		p.draw()
	}
}

// Write shows foreign text, made harmless: what -v tells of prompts, which hold what models and files wrote.
func (p *progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	_, err := io.WriteString(p.w, cleanBlock(string(text)))
	return len(text), err
}

// end clears the live line, before a result is printed.
func (p *progress) end() {
	p.mu.Lock()
	stop, done := p.stop, p.done
	p.stop = nil
	p.clear()
	p.mu.Unlock()
	if stop != nil {
		close(stop)
		<-done
	}
}

// startClock redraws the line every second, so that a person sees that a long call is not a dead one.
func (p *progress) startClock() {
	if p.stop != nil {
		return
	}
	p.stop, p.done = make(chan struct{}), make(chan struct{})
	go func(stop, done chan struct{}) {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				p.mu.Lock()
				if p.stop == stop {
					p.draw()
				}
				p.mu.Unlock()
			}
		}
	}(p.stop, p.done)
}

func (p *progress) draw() {
	if p.began.IsZero() {
		p.began = p.now()
	}
	clock := "  " + elapsed(p.now().Sub(p.began))
	if p.tokens > 0 {
		clock += ", " + thousands(p.tokens) + " tokens"
	}
	// The last column stays free: some terminals wrap when it is filled.
	room := p.columns() - 1
	line := cut(cut(p.text, max(1, room-len(clock)))+clock, room)
	p.clear()
	fmt.Fprint(p.w, line)
	p.shown = columns(line)
}

// clear blanks the live line with spaces, which every terminal understands.
func (p *progress) clear() {
	if p.shown > 0 {
		fmt.Fprint(p.w, "\r"+strings.Repeat(" ", p.shown)+"\r")
		p.shown = 0
	}
}
