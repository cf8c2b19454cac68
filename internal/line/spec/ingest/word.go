package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is how many characters the name of a section may have, numbering and remarks included.
const longestName = 60

// sectionWords are the names of parts of a requirement, in lower case, ё written е, spaces single.
var sectionWords = flat([]meaning[Field]{
	{Title, `title|name|feature|feature name|feature title|标题|名称|功能名称|需求名称|需求标题|主题|название|заголовок|
		название функции|тема`},
	{Background, `background|context|motivation|problem|problem statement|introduction|overview|why|rationale|
		current situation|current state|背景|项目背景|需求背景|业务背景|背景介绍|背景说明|现状|问题|问题描述|概述|动机|简介|
		предыстория|контекст|предпосылки|проблема|описание проблемы|мотивация|введение|обоснование|обзор|фон|
		текущая ситуация|текущее состояние`},
	{Goal, `goal|goals|objective|objectives|aim|aims|purpose|desired outcome|what we want|目标|目的|需求目标|项目目标|业务目标|
		产品目标|功能目标|期望结果|цель|цели|цель проекта|цели проекта|цель задачи|назначение|желаемый результат|чего хотим`},
	{NonGoal, `non-goal|non-goals|non goal|non goals|nongoals|not goals|out of scope|not in scope|exclusions|
		what we will not do|what we won't do|won't do|非目标|不做|不做的事|不做什么|不包含|不包括|范围外|不在范围内|非需求|超出范围|
		не цели|не-цели|нецели|не цель|не входит|что не входит|не входит в объем|вне рамок|вне объема|за рамками|
		не делаем|чего не делаем|исключения|не является целью`},
	{Criterion, `acceptance criteria|acceptance criterion|acceptance|acceptance tests|ac|acs|definition of done|done when|
		success criteria|criteria|criterion|验收标准|验收条件|验收准则|验收|验收要求|完成标准|完成定义|成功标准|критерии приемки|критерий приемки|
		критерии готовности|критерии успеха|критерии|критерий|приемочные критерии|условия приемки|приемка`},
	{Story, `user story|user stories|story|stories|用户故事|пользовательская история|пользовательские истории|
		истории пользователей|история пользователя|юзер стори|юзер-стори`},
	{Task, `task|tasks|task list|todo|todos|to do|to-do|work items|implementation tasks|work breakdown|任务|任务列表|任务清单|待办|
		待办事项|工作项|开发任务|задача|задачи|список задач|работы|план работ|что сделать`},
	{Constraint, `constraint|constraints|limitation|limitations|restrictions|non-functional requirements|约束|约束条件|限制|
		限制条件|非功能需求|非功能性需求|ограничение|ограничения|нефункциональные требования`},
	{Assumption, `assumption|assumptions|known assumptions|假设|已知假设|假设条件|前提|前提条件|допущение|допущения|
		известные допущения|предположение|предположения`},
})

// partWords are the names of columns and of lines that give something beside a piece.
var partWords = flat([]meaning[PartName]{
	{PartHint, `test|tests|test hint|how to test|test method|testing|verify|verification|how to verify|check|测试|测试方法|测试提示|
		测试方式|验证|验证方法|验证方式|检验|如何测试|如何验证|проверка|тест|тесты|как проверить|способ проверки|проверить|как тестировать`},
	{PartType, `type|kind|类型|тип|вид`},
	{PartScope, `scope|description|details|范围|描述|说明|内容|объем|описание|детали|содержание`},
	{PartOwner, `owner|owner role|role|assignee|负责人|角色|执行人|ответственный|роль|исполнитель`},
	{PartEstimate, `estimate|effort|estimation|估算|工时|预估|工作量|оценка|трудоемкость|срок`},
	{PartDeliverables, `deliverable|deliverables|output|交付物|产出|产出物|результат|результаты|артефакты`},
	{PartDependencies, `dependency|dependencies|depends on|依赖|依赖项|前置任务|зависимость|зависимости|зависит от`},
})

// numberWords name the column in which things are numbered, textWords the one that holds what a row is about.
var (
	numberWords = flat([]meaning[bool]{{true, `id|no|no.|nr|#|number|编号|序号|номер|№|ид`}})
	textWords   = flat([]meaning[bool]{{true, `criterion|criteria|description|item|requirement|statement|text|title|name|标准|
		描述|内容|条目|标题|名称|要求|критерий|описание|требование|пункт|текст|название|формулировка`}})
)

// placeholders stand where nothing is written yet. The empty one is punctuation alone.
var placeholders = flat([]meaning[bool]{{true, `|tbd|todo|to do|n/a|na|none|待定|待补充|暂无|无|нет|уточняется|будет уточнено|не определено`}})

// meaning is a list of words, divided by bars, that mean the same.
type meaning[K any] struct {
	means K
	words string
}

// flat turns lists into a table from word to meaning. Where a word stands in two of them, the first counts.
func flat[K any](lists []meaning[K]) map[string]K {
	table := map[string]K{}
	for _, list := range lists {
		for word := range strings.SplitSeq(list.words, "|") {
			if word = strings.TrimSpace(word); !has(table, word) {
				table[word] = list.means
			}
		}
	}
	return table
}

func has[K any](table map[string]K, word string) bool {
	_, ok := table[word]
	return ok
}

// sectionOf says which part of a requirement a name stands for. A remark in parentheses and a translation after a slash
// are not part of the name.
func sectionOf(name string) (Field, bool) { return lookUp(sectionWords, name) }

func lookUp[K any](table map[string]K, name string) (K, bool) {
	var none K
	if len(name) > longestName*utf8.UTFMax || utf8.RuneCountInString(name) > longestName {
		return none, false
	}
	name = plain(name)
	if k, ok := table[name]; ok {
		return k, true
	}
	short := name
	if at := strings.IndexAny(name, "(（[/|&·–—"); at > 0 {
		short = strings.TrimSpace(name[:at])
	}
	short = strings.TrimSpace(strings.TrimPrefix(short, "the "))
	k, ok := table[short]
	return k, ok
}

// plain brings a name to the form of the tables: without numbering, emphasis, signs around it and a colon after it.
func plain(name string) string {
	name = strings.TrimFunc(name, isDecoration)
	name = name[numbering(name):]
	name = strings.TrimFunc(name, isDecoration)
	name = strings.ReplaceAll(strings.ToLower(name), "ё", "е")
	return strings.Join(strings.Fields(name), " ")
}

// isDecoration reports signs that stand around a name: emphasis, brackets, colons, arrows, pictures. A number sign is
// a name of its own in tables.
func isDecoration(r rune) bool {
	switch r {
	case '#', '№':
		return false
	case ')', '）': // ends a remark
		return false
	}
	return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r) || unicode.Is(unicode.Mn, r) || r == '\u200d' ||
		r == '\ufeff'
}

// numbering gives the length of the number a heading begins with: "1.", "2.3", "三、", "（四）", "第五章".
func numbering(s string) int {
	i := 0
	for i < len(s) && i < 12 && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' || s[i] == ')') {
		i++
	}
	if i > 0 && (s[0] >= '0' && s[0] <= '9') {
		i += len(s[i:]) - len(strings.TrimLeft(s[i:], " 、．.)）:：\t"))
		return i
	}
	return chineseNumber(s)
}

func chineseNumber(s string) int {
	begin := strings.TrimPrefix(s, "第")
	digits := begin
	for n := 0; n < 4; n++ {
		r, size := utf8.DecodeRuneInString(digits)
		if !strings.ContainsRune("一二三四五六七八九十百零", r) || size == 0 {
			break
		}
		digits = digits[size:]
	}
	if len(digits) == len(begin) {
		return 0
	}
	end := strings.TrimLeft(digits, "章节部分、．.：:）) ")
	if len(end) == len(digits) {
		return 0
	}
	return len(s) - len(end)
}
