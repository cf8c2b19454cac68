package cli

import (
	"context"
	"fmt"
	"strings"

	"sluice/internal/app"
	"sluice/internal/line/novel"
	"sluice/internal/line/novel/story"
)

// watchBook tells of the work on a book in its own words: a live line on a terminal, a line per finished step elsewhere.
func (k *Kit) watchBook(ctx context.Context, a *app.App) {
	a.WatchNovel(ctx, func(p app.NovelProgress) {
		text := novelStep(p)
		switch {
		case text == "":
		case !k.progress.isLive && p.State != app.StepBegan:
			k.progress.tell(text)
		case k.progress.isLive && (p.State == app.StepEnded && p.Step == novel.StepText || p.State == app.StepBroke):
			k.progress.tell(text) // it stays on the screen above the live line
		case k.progress.isLive:
			k.progress.show(clean(p.Project)+"  "+text, p.Total)
		}
	})
}

// tell shows a line that stays, above the live line.
func (p *progress) tell(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(p.w, clean(text))
	if p.stop != nil {
		p.draw()
	}
}

// show changes the live line.
func (p *progress) show(text string, tokens int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.tokens = clean(text), tokens
	p.draw()
	p.startClock()
}

// novelStep words what happened to a step; nothing where it is not worth a line.
func novelStep(p app.NovelProgress) string {
	if p.State == app.OtherEvent {
		return describe(p.Fact)
	}
	name := p.Step
	switch {
	case p.Scene > 0:
		name = fmt.Sprintf("chapter %d, scene %d", p.Chapter, p.Scene)
	case p.Chapter > 0:
		name = fmt.Sprintf("chapter %d, %s", p.Chapter, p.Step)
	}
	switch p.State {
	case app.StepBegan:
		return name + " …"
	case app.StepBroke:
		return name + " failed: " + p.Error
	}
	var facts []string
	if p.Words >= 0 {
		facts = append(facts, count(p.Words, "word"))
	}
	if p.Tokens > 0 {
		facts = append(facts, elapsed(p.Elapsed), thousands(p.Tokens)+" tokens")
	}
	if len(facts) == 0 {
		facts = append(facts, "done")
	}
	return name + ": " + strings.Join(facts, ", ")
}

// tellNotice words what a request does with a step, in the language of the book where a person expects it.
func (k *Kit) tellNotice(n app.NovelNotice) {
	what := n.Step
	if n.Chapter > 0 {
		what = fmt.Sprintf("chapter %d, %s", n.Chapter, n.Step)
	}
	text := ""
	switch n.Kind {
	case app.NoticeReused:
		text = what + ": stands and is used as it is, " + n.Path
	case app.NoticeForced:
		text = what + ": is made again, as forced, " + n.Path
	case app.NoticeFixable:
		text = fmt.Sprintf("chapter %d: %s could be fixed, see %s; %s shows how", n.Chapter, count(n.Count, "issue"), n.Path, n.Command)
	case app.NoticeForgot:
		text = fmt.Sprintf("warning: the memory of chapter %d was not recorded: %s; %s tries again", n.Chapter, n.Error, n.Command)
	}
	if story.IsChinese(n.Language) {
		text = chineseNotice(n, text)
	}
	k.progress.tell(text)
}

func chineseNotice(n app.NovelNotice, otherwise string) string {
	names := map[string]string{novel.StepWorld: "世界观", novel.StepTheme: "主题与冲突", novel.StepCharacters: "角色", novel.StepOutline: "大纲",
		novel.StepPlan: "计划", novel.StepText: "正文"}
	what := names[n.Step]
	if n.Chapter > 0 {
		what = fmt.Sprintf("第 %d 章%s", n.Chapter, what)
	}
	switch n.Kind {
	case app.NoticeReused:
		return what + "已存在，跳过生成并复用：" + n.Path
	case app.NoticeForced:
		return "强制重算：" + what + "，" + n.Path
	}
	return otherwise
}
