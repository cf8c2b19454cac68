package rehearsal

import "strings"

// englishForms, chineseForms and russianForms are what a language has to say in the fields of a specification, as facts
// are for a story. {topic} is what the field is about, {point} a criterion or reason that was given.

func englishForms() facts {
	return facts{
		"goal":                {"Whoever needs it can do this without help and see that it worked: {topic}.", "This is possible for everybody concerned, every day and without detours: {topic}."},
		"background":          {"Today this is done by hand, slowly and with mistakes: {topic}.", "Until now there is no dependable way to do this: {topic}."},
		"non_goals":           {"Old data is not converted.", "Other ways to the same end are not part of this.", "Appearance is left as it is."},
		"criteria":            {"With ordinary input the result is complete and right: {topic}.", "With empty input nothing is lost and the user is told why.", "Done twice, it gives the same result twice.", "Whoever may not do it is refused with a reason."},
		"test_hint":           {"Try it with one small and one large example and compare.", "Try it with nothing at all and read the message.", "Try it twice and compare the results."},
		"constraints":         {"Nothing that works today may stop working.", "No new service has to be run for it."},
		"known_assumptions":   {"Those who will use it can be asked during the work.", "The data needed is there and can be read."},
		"question":            {"What should stand under {path} of “{topic}”? So far: {point}.", "What would you put under {path} of “{topic}”? So far: {point}."},
		"scope":               {"Everything that this needs, and nothing else: {point}.", "The part that shows this to the user, without what lies behind it: {point}.", "What is needed to trust this: {point}."},
		"deliverables":        {"working change with its tests", "page of the manual", "report with figures"},
		"owner_role":          {"developer", "tester", "writer", "operator"},
		"affected_components": {"core", "interface", "storage"},
		"procedure":           {"1. Begin with an empty system. 2. Carry this out with ordinary input: {topic}. 3. Carry it out again with none. 4. Compare both results with what is expected.", "1. Prepare one small and one large example. 2. Carry this out with each: {topic}. 3. Note time and result."},
		"expected_result":     {"The first result is complete, the second says that there was nothing to do; nothing else changed.", "Both results are right, and the large one takes less than a minute."},
		"evidence_required":   {"log of the run", "file with the result", "screenshot"},
		"mvp_goal":            {"The simplest case works from end to end: {topic}."},
		"mvp_cut_lines":       {"Only one format.", "Only for one role."},
		"mvp_risks":           {"Real data may be larger than the examples.", "The people who know the old way may be away."},
	}
}

func chineseForms() facts {
	return facts{
		"goal":                {"需要的人可以自己完成这件事，并看得出它成功了：{topic}。", "相关的每个人每天都能直接做到：{topic}。"},
		"background":          {"目前靠手工完成，既慢又容易出错：{topic}。", "到现在为止还没有可靠的办法：{topic}。"},
		"non_goals":           {"不转换旧数据。", "不包括达到同一目的的其他途径。", "不改变外观。"},
		"criteria":            {"输入正常时，结果完整且正确：{topic}。", "输入为空时，不丢失任何内容，并告诉用户原因。", "做两次，得到两次相同的结果。", "没有权限的人会被拒绝，并看到理由。"},
		"test_hint":           {"用一个小例子和一个大例子各试一次，然后比较。", "什么都不输入试一次，并阅读提示。", "连续试两次，比较结果。"},
		"constraints":         {"现在能用的都要继续能用。", "不为此运行新的服务。"},
		"known_assumptions":   {"工作期间可以询问使用者。", "所需的数据存在并且可以读取。"},
		"question":            {"“{topic}”的 {path} 应该写什么？目前：{point}。", "“{topic}”的 {path} 您会怎么写？目前：{point}。"},
		"scope":               {"包括这一点所需的一切，别无其他：{point}。", "只包括呈现给用户的部分，不涉及背后：{point}。", "为了信得过这一点所需的工作：{point}。"},
		"deliverables":        {"带测试的改动", "手册的一页", "带数字的报告"},
		"owner_role":          {"开发", "测试", "文档", "运维"},
		"affected_components": {"核心", "界面", "存储"},
		"procedure":           {"1. 从空系统开始。2. 用正常输入执行：{topic}。3. 再用空输入执行一次。4. 把两次结果与预期比较。", "1. 准备一个小例子和一个大例子。2. 分别执行：{topic}。3. 记录时间与结果。"},
		"expected_result":     {"第一次结果完整，第二次说明没有可做的事；其他一切不变。", "两次结果都正确，大例子用时不到一分钟。"},
		"evidence_required":   {"运行日志", "结果文件", "截图"},
		"mvp_goal":            {"最简单的情形从头到尾可用：{topic}。"},
		"mvp_cut_lines":       {"只支持一种格式。", "只面向一种角色。"},
		"mvp_risks":           {"真实数据可能比例子大。", "熟悉旧做法的人可能不在。"},
	}
}

func russianForms() facts {
	return facts{
		"goal":                {"Кому это нужно, делает это сам и видит, что получилось: {topic}.", "Это доступно каждому, каждый день и без обходных путей: {topic}."},
		"background":          {"Сейчас это делают вручную, медленно и с ошибками: {topic}.", "Надёжного способа до сих пор нет: {topic}."},
		"non_goals":           {"Старые данные не переносятся.", "Другие пути к той же цели сюда не входят.", "Внешний вид остаётся прежним."},
		"criteria":            {"При обычных данных результат полный и верный: {topic}.", "При пустых данных ничего не теряется и названа причина.", "Дважды сделанное даёт дважды одно и то же.", "Кому нельзя, тот получает отказ с объяснением."},
		"test_hint":           {"Попробовать на малом и на большом примере и сравнить.", "Попробовать без данных и прочитать сообщение.", "Попробовать дважды и сравнить результаты."},
		"constraints":         {"Что работает сейчас, должно работать и дальше.", "Новую службу для этого не запускают."},
		"known_assumptions":   {"Будущих пользователей можно спросить во время работы.", "Нужные данные есть, и их можно прочитать."},
		"question":            {"Что должно стоять в {path}, тема «{topic}»? Пока: {point}.", "Что вы написали бы в {path}, тема «{topic}»? Пока: {point}."},
		"scope":               {"Всё, что для этого нужно, и ничего больше: {point}.", "Только то, что видит пользователь: {point}.", "Что нужно, чтобы этому доверять: {point}."},
		"deliverables":        {"готовое изменение с тестами", "страница руководства", "отчёт с числами"},
		"owner_role":          {"разработчик", "тестировщик", "автор документации", "администратор"},
		"affected_components": {"ядро", "интерфейс", "хранилище"},
		"procedure":           {"1. Начать с пустой системы. 2. Выполнить на обычных данных: {topic}. 3. Повторить без данных. 4. Сравнить оба результата с ожидаемым.", "1. Взять малый и большой пример. 2. Выполнить на каждом: {topic}. 3. Записать время и результат."},
		"expected_result":     {"Первый результат полный, второй говорит, что делать нечего; остальное не изменилось.", "Оба результата верны, большой пример занимает меньше минуты."},
		"evidence_required":   {"журнал запуска", "файл с результатом", "снимок экрана"},
		"mvp_goal":            {"Простейший случай работает от начала до конца: {topic}."},
		"mvp_cut_lines":       {"Только один формат.", "Только для одной роли."},
		"mvp_risks":           {"Настоящие данные могут быть больше примеров.", "Знающие старый порядок могут быть в отъезде."},
	}
}

// formOf writes a field of a specification by its name.
func (m *maker) formOf(f field) (string, bool) {
	choices := m.words.forms[f.name]
	if len(choices) == 0 || m.fiction() || f.judge {
		return "", false
	}
	choices = allowed(choices, m.in)
	s := choices[(m.turn(aroundItem(f.path))+max(0, f.index)+m.take)%len(choices)]
	topic := m.topic(f.scope)
	point := clean(m.in.text(f.scope, "reason"), 120)
	if f.name == "question" {
		topic = clean(or(m.in.text(nil, "title", "goal"), topic), 60)
		s = strings.ReplaceAll(s, "{path}", m.in.text(f.scope, "path"))
	} else if list := m.in.strings(nil, "acceptance_criteria"); len(list) > 0 && f.list != "" {
		point = list[max(0, f.index)%len(list)]
	}
	at := m.scene(f)
	at.topic = topic
	s = m.fill(s, at, or(point, topic), m.rng(f.path))
	if m.endsAsSentence(s) {
		return m.mark(s), true
	}
	return lower(s, choices), true
}

// endsAsSentence tells a text, which carries a label, from a word or two.
func (m *maker) endsAsSentence(s string) bool {
	return strings.HasSuffix(s, m.words.stop) || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}
