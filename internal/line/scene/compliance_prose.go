package scene

import (
	"regexp"
	"slices"
	"strings"
)

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	checklist   = regexp.MustCompile(`^\s*(?:[-*+•]|\d+[.)、])?\s*(?:\[[ xX✓✔]?\]|[☐☑☒✓✔✅❌])`)
	fenceLine   = regexp.MustCompile("^\\s*(?:```+|~~~+)")
	rehearsed   = regexp.MustCompile(`^\s*(?:\[(?:rehearsal|репетиция)\]|〔排练〕)\s*`)
)

// metaWords head what stands around a scene and is no part of it.
var metaWords = wordSet(
	"notes", "note", "author's notes", "author notes", "writer's notes", "checklist", "compliance", "compliance checklist", "compliance echo",
	"compliance check", "compliance report", "self check", "metadata", "meta", "constraints", "constraint checklist", "verification",
	"validation", "summary of compliance", "scene metadata", "word count check", "revision notes", "changes", "change log", "analysis",
	"pov", "point of view", "time", "date", "status", "attempt", "draft status", "scene id", "scene", "author", "characters", "tone",
	"заметки", "примечания", "примечание", "заметки автора", "чек-лист", "чеклист", "контрольный список", "проверка", "соответствие",
	"проверка соответствия", "метаданные", "ограничения", "самопроверка", "изменения", "сцена", "время", "персонажи", "тон", "автор",
	"备注", "注释", "说明", "检查清单", "清单", "自查", "自查清单", "核对清单", "元数据", "约束", "合规", "合规检查", "修改说明", "作者注", "时间", "场景", "视角", "人物", "作者",
)

// proseSections head the scene itself.
var proseSections = wordSet("scene", "scene text", "prose", "draft", "text", "story", "сцена", "текст", "текст сцены", "проза", "черновик", "正文", "场景", "草稿", "场景正文")

func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// proseOf gives the scene alone: front matter, headings, checklists, notes and labels around it are left out.
func proseOf(draft string) string {
	draft = strings.TrimPrefix(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(draft), "\ufeff")
	draft = htmlComment.ReplaceAllString(draft, "\n")
	_, body := cutFrontMatter(draft)
	lines := strings.Split(body, "\n")
	kept := keepProse(lines, false)
	if countWords(kept)*4 < countWords(body) { // the whole scene came inside a fence
		if inside := keepProse(lines, true); countWords(inside) > 2*countWords(kept) {
			kept = inside
		}
	}
	return kept
}

// cutFrontMatter divides a document into the lines between its first two rules and the rest.
func cutFrontMatter(doc string) (front, body string) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(doc, "\n \t"), "---\n")
	if !ok {
		return "", doc
	}
	front, body, ok = strings.Cut(rest, "\n---")
	if _, after, found := strings.Cut(body, "\n"); ok && strings.Count(front, "\n") < 60 && strings.Contains(front, ":") {
		if !found {
			return front, ""
		}
		return front, after
	}
	return "", doc
}

// keepProse walks over lines and keeps those of the scene. Where it came in a fence, only lines inside count.
func keepProse(lines []string, fenced bool) string {
	var kept []string
	skip, inFence := 0, false // skip: level of the heading whose section is left out
	for _, l := range lines {
		if fenceLine.MatchString(l) {
			inFence = !inFence
			continue
		}
		trimmed := strings.TrimSpace(l)
		if level, title := headingOf(trimmed); level > 0 {
			if skip == 0 || level <= skip {
				skip = 0
				if p := plainLabel(title); (metaWords[p] || partOf(title) != "") && !proseSections[p] {
					skip = level
				}
			}
			continue
		}
		if skip > 0 || inFence != fenced || checklist.MatchString(l) || strings.HasPrefix(trimmed, "|") {
			continue
		}
		if isRule(trimmed) {
			kept = append(kept, "")
			continue
		}
		kept = append(kept, rehearsed.ReplaceAllString(l, ""))
	}
	return strings.TrimSpace(strings.Join(dropLabels(kept), "\n"))
}

// dropLabels leaves out lines such as "**Location:** the pier" around the prose. Without stars they count only before
// the first and after the last paragraph: a letter quoted in a scene may have such lines.
func dropLabels(lines []string) []string {
	label := func(l string, bold bool) bool {
		name, _, starred, ok := splitLabel(strings.TrimLeft(strings.TrimSpace(l), "-*+• "))
		_, _, starredWhole, okWhole := splitLabel(strings.TrimSpace(l))
		starred = ok && starred || okWhole && starredWhole
		return ok && (metaWords[plainLabel(name)] || partOf(name) != "") && (starred || !bold)
	}
	out := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return label(l, true) })
	from, to := 0, len(out)
	for from < to && (strings.TrimSpace(out[from]) == "" || label(out[from], false)) {
		from++
	}
	for at := to - 1; at >= from; at-- { // notes at the end begin with their label and go on to the end of the paragraph
		if strings.TrimSpace(out[at]) == "" {
			continue
		}
		start := at
		for start > from && strings.TrimSpace(out[start-1]) != "" {
			start--
		}
		if !label(out[start], false) {
			break
		}
		to, at = start, start
	}
	return out[from:to]
}

// headingOf reads a heading with number signs, or a line that is bold as a whole and names a part.
func headingOf(l string) (level int, title string) {
	if rest := strings.TrimLeft(l, "#"); rest != l && len(l)-len(rest) <= 6 && (rest == "" || rest[0] == ' ' || hasHan(rest)) {
		return len(l) - len(rest), strings.TrimSpace(strings.Trim(strings.TrimSpace(rest), "#"))
	}
	if t, ok := strings.CutPrefix(l, "**"); ok {
		if t, ok = strings.CutSuffix(t, "**"); ok && !strings.Contains(t, "**") {
			t = strings.TrimSpace(t)
			if metaWords[plainLabel(t)] || partOf(t) != "" {
				return 7, strings.TrimRight(t, ":：")
			}
		}
	}
	return 0, ""
}

// isRule tells a line that only divides.
func isRule(l string) bool {
	return len(l) >= 3 && (strings.Trim(l, "-– ") == "" || strings.Trim(l, "* ") == "" || strings.Trim(l, "_ ") == "" || strings.Trim(l, "=") == "")
}
