package story

import "fmt"

func (r *ConsistencyReport) check() error {
	for i, x := range r.Issues {
		if err := checkSeverity(i, x.Severity); err != nil {
			return err
		}
	}
	return nil
}

func (r *LogicReviewReport) check() error {
	if r.OverallScore < 0 || r.OverallScore > 100 {
		return fmt.Errorf("overall_score is %d, not between 0 and 100", r.OverallScore)
	}
	for i, x := range r.Issues {
		if err := checkSeverity(i, x.Severity); err != nil {
			return err
		}
	}
	return nil
}

func (r *RevisionStatus) check() error {
	switch r.Status {
	case RevisionPending, RevisionAccepted, RevisionRejected:
	default:
		return fmt.Errorf("status is %q, not pending, accepted or rejected", r.Status)
	}
	for i, x := range r.Issues {
		if err := checkSeverity(i, x.Severity); err != nil {
			return err
		}
	}
	return nil
}

func (c *GeneratedChapter) check() error {
	if c.ChapterNumber < 1 {
		return fmt.Errorf("chapter_number is %d, not 1 or more", c.ChapterNumber)
	}
	if len(c.Scenes) == 0 {
		return fmt.Errorf("scenes is empty: a chapter has at least one")
	}
	seen := make(map[int]bool, len(c.Scenes))
	for i, s := range c.Scenes {
		if seen[s.SceneNumber] {
			return fmt.Errorf("scenes[%d].scene_number is %d, which another scene has", i, s.SceneNumber)
		}
		seen[s.SceneNumber] = true
	}
	return nil
}

func (p *ChapterPlan) check() error {
	if len(p.Scenes) == 0 {
		return fmt.Errorf("scenes is empty: a chapter has at least one")
	}
	seen := make(map[int]bool, len(p.Scenes))
	for i, s := range p.Scenes {
		if s.SceneNumber < 1 || seen[s.SceneNumber] {
			return fmt.Errorf("scenes[%d].scene_number is %d, not a number of its own from 1", i, s.SceneNumber)
		}
		seen[s.SceneNumber] = true
	}
	return nil
}

func (o *Outline) check() error {
	if len(o.Chapters) == 0 {
		return fmt.Errorf("chapters is empty: a book has at least one")
	}
	seen := make(map[int]bool, len(o.Chapters))
	for i, c := range o.Chapters {
		if c.ChapterNumber < 1 || c.ChapterNumber > MaxChapters || seen[c.ChapterNumber] {
			return fmt.Errorf("chapters[%d].chapter_number is %d, not a number of its own from 1 to %d", i, c.ChapterNumber, MaxChapters)
		}
		seen[c.ChapterNumber] = true
	}
	return nil
}

func checkSeverity(i int, s Severity) error {
	switch s {
	case Low, Medium, High:
		return nil
	}
	return fmt.Errorf("issues[%d].severity is %q, not low, medium or high", i, s)
}
