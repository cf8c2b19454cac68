package continuity

import (
	"fmt"

	"golang.org/x/text/language"
)

// voice is the language in which findings are told: the book's, where it is one of three.
type voice string

const (
	english voice = "en"
	chinese voice = "zh"
	russian voice = "ru"
)

func voiceOf(tag string) voice {
	t, err := language.Parse(tag)
	if err != nil {
		return english
	}
	base, _ := t.Base()
	if v := voice(base.String()); v == chinese || v == russian {
		return v
	}
	return english
}

func (v voice) pick(en, zh, ru string, args ...any) string {
	switch v {
	case chinese:
		return fmt.Sprintf(zh, args...)
	case russian:
		return fmt.Sprintf(ru, args...)
	}
	return fmt.Sprintf(en, args...)
}

func (v voice) dead(name string, chapter int, state string, scene int, quote string) string {
	return v.pick("%s is dead since chapter %d (%q) and acts in scene %d: %q",
		"%s在第%d章已死（“%s”），却在场景%d中行动：“%s”",
		"%s: смерть в главе %d («%s»), но действует в сцене %d: «%s»", name, chapter, state, scene, quote)
}

func (v voice) deadFix(name string, scene int) string {
	return v.pick("let somebody else do and say in scene %[2]d what %[1]s does there, or show it as a memory",
		"场景%[2]d中%[1]s的言行改由他人完成，或明确写成回忆",
		"передать действия и слова персонажа %[1]s в сцене %[2]d другому или показать их как воспоминание", name, scene)
}

func (v voice) unplanned(name string, scene int, quote string) string {
	return v.pick("%s speaks in scene %d (%q) and is in no scene of the chapter's plan",
		"%s在场景%d中说话（“%s”），但本章计划的任何场景都没有此人",
		"%s говорит в сцене %d («%s»), но в плане главы такого участника нет", name, scene, quote)
}

func (v voice) anchor(now string, chapter int, before string) string {
	return v.pick("the chapter is at %q, before chapter %d at %q, and is not marked as a flashback",
		"本章时间为“%s”，早于第%d章的“%s”，且未标明为回忆",
		"время главы — «%s», это раньше главы %d («%s»), и глава не помечена как воспоминание", now, chapter, before)
}

func (v voice) heading(scene int, now string, chapter int, before string) string {
	return v.pick("scene %d is at %q, before what chapter %d has passed: %q",
		"场景%d的时间为“%s”，早于第%d章已到的“%s”",
		"время сцены %d — «%s», это раньше уже прошедшего в главе %d: «%s»", scene, now, chapter, before)
}

func (v voice) headingFix(scene int, before string) string {
	return v.pick("give scene %d a time not before %q, or mark it as a flashback",
		"将场景%d的时间改为不早于“%s”，或标明为回忆",
		"указать для сцены %d время не раньше «%s» или пометить её как воспоминание", scene, before)
}

func (v voice) variant(found, name string, scene int) string {
	return v.pick("%q in scene %[3]d is nearly the name of %[2]s and nobody is called so",
		"场景%[3]d中的“%[1]s”与%[2]s的名字只差一点，而并无此人",
		"«%[1]s» в сцене %[3]d почти совпадает с именем «%[2]s», а такого персонажа нет", found, name, scene)
}

func (v voice) variantFix(found, name string) string {
	return v.pick("write %[2]s instead of %[1]q", "将“%[1]s”改为“%[2]s”", "писать «%[2]s» вместо «%[1]s»", found, name)
}

func (v voice) unreachable(name string, chapter int, state string, scene int, place string) string {
	return v.pick("%s is locked up since chapter %d (%q) and acts in scene %d at %q; nothing says how they came there",
		"%s自第%d章起被关押（“%s”），却出现在场景%d的“%s”，文中没有交代如何到达",
		"%s под замком с главы %d («%s»), но действует в сцене %d в месте «%s», и не сказано, как оказывается там", name, chapter, state, scene, place)
}
