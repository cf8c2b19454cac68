package scene

import (
	"strings"
)

// phrases are the words of documents that code writes, in English, Russian and Chinese. Those of a blueprint are words
// that reading one understands.
var phrases = map[string][3]string{
	"blueprint": {"Blueprint of scene", "План сцены", "场景蓝图"}, "location": {"Location", "Место действия", "地点"},
	"present": {"Characters present", "Присутствуют", "在场人物"}, "absent": {"Characters absent", "Отсутствуют", "不在场人物"},
	"beats": {"Beats", "Биты", "节拍"}, "word_count": {"Word count", "Количество слов", "字数"},
	"continuity": {"Continuity", "Преемственность", "连续性"}, "scope": {"Scope", "Границы", "范围"},
	"mechanics": {"Mechanics", "Механики", "机制"}, "no_mechanics": {"Forbidden mechanics", "Запрещённые механики", "禁用机制"},
	"tone": {"Tone", "Тон", "基调"}, "none": {"none", "нет", "无"}, "title": {"Title", "Название", "标题"},

	"plan": {"Verification plan for scene", "План проверки сцены", "场景核查计划"}, "must": {"What the scene must keep to", "Чего сцена должна придерживаться", "场景必须遵守的约束"},
	"approach": {"Approach", "Подход", "写法"}, "focus": {"What needs care", "На что обратить внимание", "需要留意之处"}, "risks": {"Risks", "Риски", "风险"},
	"forbidden_terms": {"Words that must not occur", "Слова, которых быть не должно", "不得出现的词"}, "notes": {"Further notes of the blueprint", "Другие указания плана", "蓝图的其他说明"},
	"checks":  {"How it will be checked", "Как это будет проверено", "如何核查"},
	"checks1": {"Code looks for the location, for everyone present and absent, for mechanics and forbidden words, and counts the words.", "Программа ищет место действия, присутствующих и отсутствующих, механики и запрещённые слова и считает слова.", "程序会检查地点、在场与不在场人物、机制与禁用词，并统计字数。"},
	"checks2": {"Then validators read the draft side by side; one FAIL stops it.", "Затем черновик одновременно читают проверяющие; один отказ останавливает его.", "随后多名校验者同时审读草稿，任何一个 FAIL 都会使其停下。"},
	"answer":  {"Approve this plan, approve it with modifications, or send it back with what to change.", "Одобрите план, одобрите его с изменениями или верните с указанием, что изменить.", "请批准本计划、附修改意见批准，或退回并说明需要更改之处。"},
	"changed": {"What was asked for when it was sent back", "О чём просили при возврате", "退回时提出的要求"},
	"heeds":   {"What people asked for", "Пожелания людей", "人工要求"},

	"report": {"Report on scene", "Отчёт о сцене", "场景报告"}, "result": {"Result", "Итог", "结果"}, "text": {"Text", "Текст", "正文"},
	"words": {"Words", "Слов", "字数统计"}, "attempts": {"Drafts", "Черновики", "草稿"}, "attempt": {"Draft", "Черновик", "草稿"},
	"validators": {"Validators", "Проверяющие", "校验者"}, "validator": {"Validator", "Проверяющий", "校验者"}, "verdict": {"Verdict", "Вердикт", "结论"}, "score": {"Score", "Оценка", "评分"},
	"compliance": {"Constraints checked by code", "Ограничения, проверенные программой", "程序核查的约束"}, "check": {"Check", "Проверка", "检查"}, "item": {"Item", "Предмет", "项目"},
	"pass": {"pass", "да", "通过"}, "fail": {"fail", "нет", "未通过"}, "issues": {"Remarks", "Замечания", "意见"}, "approved": {"approved", "принят", "已批准"}, "rejected": {"rejected", "отклонён", "已退回"},
	"rehearsal": {"Rehearsal: this text was made by the built-in rehearsal model, not by a writer.", "Репетиция: этот текст создан встроенной репетиционной моделью.", "排练：本文由内置排练模型生成。"},
	"warnings":  {"Warnings", "Предупреждения", "警告"}, "target": {"asked for", "требовалось", "要求"},

	"variant": {"Variant", "Вариант", "方案"}, "events": {"Events", "События", "事件"}, "gains": {"Gains", "Что даёт", "收获"}, "costs": {"Costs", "Чего стоит", "代价"},
	"consequences": {"Consequences", "Последствия", "后果"}, "choose": {"Choose one of the variants; later phases follow it.", "Выберите один из вариантов: дальше план следует ему.", "请选择一个方案，后续阶段将依此进行。"},
	"chosen": {"Chosen variant", "Выбранный вариант", "已选方案"}, "storylines": {"Storylines", "Сюжетные линии", "故事线"}, "summary": {"Summary", "Кратко", "概要"},
	"scene": {"Scene", "Сцена", "场景"}, "chapter": {"Chapter", "Глава", "章节"}, "act": {"Act", "Акт", "幕"}, "parts_chapter": {"Scenes", "Сцены", "场景列表"}, "parts_act": {"Chapters", "Главы", "章节列表"},
	"purpose": {"Purpose", "Назначение", "作用"}, "plan_of": {"Plan of", "План", "计划"}, "people": {"Characters", "Персонажи", "人物"}, "corrected": {"Corrected while writing the blueprint", "Исправлено при записи плана", "写入蓝图时的更正"},
}

// phrase gives a phrase in a language; English where there is no other.
func phrase(lang, key string) string {
	p := phrases[key]
	switch lang {
	case "ru":
		return p[1]
	case "zh":
		return p[2]
	}
	return p[0]
}

// document writes Markdown.
type document struct {
	lang string
	b    strings.Builder
}

func (d *document) say(key string) string { return phrase(d.lang, key) }

func (d *document) heading(level int, text string) {
	d.gap()
	d.b.WriteString(strings.Repeat("#", level) + " " + oneLine(text) + "\n\n")
}

// gap ends a paragraph.
func (d *document) gap() {
	if d.b.Len() > 0 && !strings.HasSuffix(d.b.String(), "\n\n") {
		d.b.WriteString("\n")
	}
}

func (d *document) text(s string) {
	if s = strings.TrimSpace(s); s != "" {
		d.b.WriteString(s + "\n")
	}
}

func (d *document) list(items []string) {
	for _, item := range items {
		if item = oneLine(item); item != "" {
			d.b.WriteString("- " + item + "\n")
		}
	}
}

// section writes a heading with a list below it, if there is anything to list.
func (d *document) section(level int, title string, items []string) {
	if len(items) > 0 {
		d.heading(level, title)
		d.list(items)
	}
}

func (d *document) row(cells ...string) {
	for _, c := range cells {
		d.b.WriteString("| " + strings.ReplaceAll(oneLine(c), "|", "\\|") + " ")
	}
	d.b.WriteString("|\n")
}

func (d *document) table(head ...string) {
	d.row(head...)
	d.b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
}

func (d *document) bytes() []byte { return []byte(d.b.String()) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
