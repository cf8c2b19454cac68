package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sluice/internal/app"
	"sluice/internal/kernel"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
)

// criticalPath measures a chapter with a model that takes 100 ms against the calls that must follow one another: plan, three
// scenes, and the slowest of memory, consistency and logic review. Its floor is what this machine takes for them and a durable
// step after each.
func criticalPath(ctx context.Context, rounds int) error {
	const chapters, calls, delay = 10, 5, 100 * time.Millisecond
	const path = calls * delay
	var excess, least []float64
	for range rounds {
		b, err := writeBook(ctx, chapters, "- agent: \"*\"\n  delay: "+delay.String()+"\n")
		if err != nil {
			return err
		}
		excess = append(excess, median(b.seconds)/path.Seconds())
		if err := b.close(); err != nil {
			return err
		}
		floor, err := pathFloor(chapters-1, calls, delay)
		if err != nil {
			return err
		}
		least = append(least, floor.Seconds()/path.Seconds())
	}
	reportAgainst("novel_critical_path", median(excess), "of-ideal", median(least))
	return nil
}

// longBook measures a book of 300 chapters: the time per chapter at its end against its start, how its prompts grow, and
// how long its status takes from a cold start.
func longBook(ctx context.Context, rounds int) error {
	rounds = min(rounds, 3)
	const chapters, few = 300, 30
	var times, prompts, perChapter, statuses []float64
	for range rounds {
		b, err := writeBook(ctx, chapters, "")
		if err != nil {
			return err
		}
		// The first chapters have little to remember, so the start is counted once memory is full.
		start, end := slices.Clone(b.seconds[few/2:few/2+few]), slices.Clone(b.seconds[len(b.seconds)-few:])
		times = append(times, median(end)/median(start))
		perChapter = append(perChapter, median(end)*1000)
		start, end = slices.Clone(b.tokens[few/2:few/2+few]), slices.Clone(b.tokens[len(b.tokens)-few:])
		prompts = append(prompts, median(end)/median(start))
		spent, err := b.status(ctx)
		if err != nil {
			return err
		}
		statuses = append(statuses, spent)
		if err := b.close(); err != nil {
			return err
		}
	}
	report("novel_300_chapter_ms", median(perChapter), "ms")
	report("novel_300_last_over_first", median(times), "ratio")
	report("novel_300_prompt_tokens", median(prompts), "ratio")
	report("novel_300_status_ms", median(statuses), "ms")
	return nil
}

// book is one that was written, with what each chapter took.
type book struct {
	dir     string
	seconds []float64 // from the plan of a chapter to that of the next
	tokens  []float64 // of all prompts of a chapter
	done    func() error
}

// writeBook writes a book of chapters of three scenes, each with its memory, consistency check and logic review.
func writeBook(ctx context.Context, chapters int, script string) (*book, error) {
	dir, err := os.MkdirTemp("", "sluice-novel")
	if err != nil {
		return nil, err
	}
	rules := ""
	if script != "" {
		rules = filepath.Join(dir, "rules.yaml")
		if err := os.WriteFile(rules, []byte(script), 0o600); err != nil {
			return nil, err
		}
	}
	a, done, err := openWorkspace(ctx, dir, rules)
	if err != nil {
		return nil, err
	}
	s := story.DefaultSettings()
	s.Premise, s.TargetChapters, s.LogicReviewPolicy = "A lighthouse keeper finds a door in the sea", chapters, story.LogicBlocking
	if _, err := a.NewNovel(ctx, app.NovelNew{Name: "book", Settings: s}); err != nil {
		return nil, err
	}
	doc, err := a.RunNovel(ctx, app.NovelRun{Name: "book"})
	if err != nil {
		return nil, err
	}
	if made := len(doc.Results); made != 4+2*chapters || len(doc.FailedChapters) > 0 {
		return nil, fmt.Errorf("the book has %d of %d steps and %d chapters that failed", made, 4+2*chapters, len(doc.FailedChapters))
	}
	b := &book{dir: dir, done: done}
	return b, b.measure(ctx, a, chapters)
}

// measure reads from the calls what each chapter took.
func (b *book) measure(ctx context.Context, a *app.App, chapters int) error {
	calls, err := a.Calls(ctx, string(novel.RunID("book")))
	if err != nil {
		return err
	}
	began := make([]time.Time, chapters+1)
	b.tokens = make([]float64, chapters)
	for _, c := range calls.Calls {
		n := novel.ChapterOf(kernel.NodeID(c.Node))
		if n == 0 {
			continue
		}
		b.tokens[n-1] += float64(c.InputTokens)
		if c.Agent == "chapter-plan" {
			began[n] = c.StartedAt
		}
	}
	for n := 1; n < chapters; n++ {
		b.seconds = append(b.seconds, began[n+1].Sub(began[n]).Seconds())
	}
	return nil
}

// status is the time in milliseconds that the status of the book takes, from opening its workspace.
func (b *book) status(ctx context.Context) (float64, error) {
	if err := b.done(); err != nil {
		return 0, err
	}
	started := time.Now()
	a, done, err := reopenWorkspace(ctx, b.dir, "")
	if err != nil {
		return 0, err
	}
	b.done = done
	doc, err := a.ShowNovel(ctx, "book")
	if err != nil {
		return 0, err
	}
	spent := time.Since(started)
	if doc.Words == 0 || doc.BlockedChapter != nil {
		return 0, fmt.Errorf("the book has %d words, blocked: %t", doc.Words, doc.BlockedChapter != nil)
	}
	return float64(spent.Microseconds()) / 1000, nil
}

func (b *book) close() error { return errors.Join(b.done(), os.RemoveAll(b.dir)) }
