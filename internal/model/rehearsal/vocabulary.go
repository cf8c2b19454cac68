package rehearsal

import "strings"

// vocabulary is what the rehearsal can say in one language. In sentences, {name} and {other} are people, {place} and
// {thing} what they deal with, {topic} what the whole is about, {point} something that was asked for.
type vocabulary struct {
	label    string
	people   []string
	places   []string
	things   []string
	titles   []string
	shorts   []string
	genders  []string
	day      string
	part     string
	openings []string // of a story
	story    []string
	beats    []string // a story keeps a {point}
	remarks  []string // one sentence about {topic} in a field of a form
	document []string // sentences of a report on {topic}
	points   []string // a report keeps a {point}
	revised  string   // what a revision adds
	seen     string   // evidence that a {point} is met
	stop     string   // ends a sentence
	space    string   // between sentences
	colon    string   // between what a field is about and what it says
	facts    facts    // of the forms of a story
	forms    facts    // of the forms of a specification
}

const (
	labelEnglish = "[rehearsal]"
	labelChinese = "〔排练〕"
	labelRussian = "[репетиция]"
)

// Label is the mark that every rehearsed text in a language begins with.
func Label(lang string) string { return vocabularyOf(lang).label }

// unlabel takes the marks away, so that a text built from a rehearsed one carries a single mark.
func unlabel(s string) string {
	for _, label := range []string{labelEnglish, labelChinese, labelRussian} {
		s = strings.ReplaceAll(strings.ReplaceAll(s, label+" ", ""), label, "")
	}
	return s
}

func vocabularyOf(lang string) vocabulary {
	switch lang {
	case "zh":
		return chinese()
	case "ru":
		return russian()
	}
	return english()
}

func english() vocabulary {
	return vocabulary{
		label:  labelEnglish,
		people: []string{"Mara", "Tobias", "Ines", "Callum", "Edda", "Rowan", "Selma", "Jonas", "Thea", "Anselm"},
		places: []string{"the harbour", "the old observatory", "the market hall", "the north gate", "the river road", "the glass house"},
		things: []string{"a sealed letter", "the broken clock", "a lantern", "the ledger", "a brass key", "the map", "an unsent reply", "the bell"},
		titles: []string{"The Silent Harbour", "A Door Left Open", "What the River Kept", "The Second Lantern", "Under the North Gate", "The Ledger of Rain", "An Honest Measure", "The Long Way Back"},
		shorts: []string{"steady", "central", "quiet", "bright", "tense", "plain"}, genders: []string{"female", "male"},
		day: "Day {n}", part: "Part {n}",
		openings: []string{"{name} came to {place} before anyone else was awake.", "It began in {place}, where {name} had been told to wait.", "Rain had stopped over {place} when {name} arrived."},
		story: []string{
			"{name} turned {thing} over twice and said nothing.", "For a while only the sounds of {place} filled the pause.", "\"We agreed on this,\" {name} said, and nobody answered at once.",
			"{thing} lay where it had been left, and that was the trouble.", "{name} counted the steps back and found one too many.", "A cart passed, and the talk went on more quietly.",
			"{name} remembered a promise and kept it to the letter.", "The light moved slowly across {place}.", "What {name} wanted was simple; what it cost was not.",
			"Someone had to decide, and {name} did.", "They looked at {thing} as if it might speak first.", "{name} wrote three words and crossed out two.",
		},
		beats:    []string{"{name} came to the point: {point}.", "Then it happened, as it had to: {point}.", "Nothing mattered now but this: {point}."},
		remarks:  []string{"A considered answer for {topic}, drawn from what was given.", "It follows from {topic} and stays within it.", "Chosen so that {topic} holds together from end to end."},
		document: []string{"This part deals with {topic} and with nothing else.", "The order of the work follows the order of the need.", "Each step names its input, its result and how to tell that it is done.", "What is uncertain is written down where the next reader looks first.", "The simplest form that meets the requirement was preferred.", "Terms are used as the source uses them.", "Limits are stated before exceptions.", "Every figure can be traced to the place it came from."},
		points:   []string{"It covers the following: {point}.", "One thing was required and is met: {point}.", "Special care went into this: {point}."},
		revised:  "This was revised as the notes ask: {point}.", seen: "Met in the deliverable: {point}.", stop: ".", space: " ", colon: ": ", facts: englishFacts(), forms: englishForms(),
	}
}

func chinese() vocabulary {
	return vocabulary{
		label:  labelChinese,
		people: []string{"林澈", "苏晚", "周远", "沈乔", "顾南", "许微", "陆川", "叶青", "方既", "唐棠"},
		places: []string{"旧码头", "山下的驿站", "北门", "河边的书肆", "废弃的观星台", "雨巷"},
		things: []string{"一封没有署名的信", "停摆的钟", "一盏灯笼", "那本账册", "一枚铜钥匙", "残缺的地图", "半截玉佩", "檐下的铃"},
		titles: []string{"无声的码头", "虚掩的门", "河水留下的", "第二盏灯", "北门之下", "雨的账册", "归途漫长", "诚实的尺"},
		shorts: []string{"沉稳", "核心", "安静", "明快", "紧张", "朴素"}, genders: []string{"女", "男"},
		day: "第{n}天", part: "第{n}部分",
		openings: []string{"天还没亮，{name}已经到了{place}。", "事情从{place}开始，{name}被告知在那里等候。", "雨停的时候，{name}走进了{place}。"},
		story: []string{
			"{name}把{thing}翻看了两遍，什么也没说。", "有一阵子，只听得见{place}的风声。", "“这是我们说好的。”{name}说完，没有人立刻回答。",
			"{thing}还在原来的地方，麻烦也正在这里。", "{name}往回数脚步，发现多了一步。", "一辆车经过，谈话声低了下去。",
			"{name}记得那个承诺，并且一字不差地守住了。", "光线缓慢地移过{place}。", "{name}想要的很简单，代价却不简单。",
			"总要有人决定，于是{name}决定了。", "他们看着{thing}，好像它会先开口。", "{name}写下三个字，又划掉了两个。",
		},
		beats:    []string{"{name}终于说到了要紧处：{point}。", "该来的还是来了：{point}。", "此刻别的都不重要，只有一件事：{point}。"},
		remarks:  []string{"围绕{topic}给出的稳妥回答，依据均来自输入。", "由{topic}推得，不越出它的范围。", "这样安排，是为了让{topic}首尾一致。"},
		document: []string{"本部分只讨论{topic}，不涉及其他。", "工作的次序依照需要的次序。", "每一步都写明输入、结果以及如何判断完成。", "不确定之处写在下一位读者最先看到的地方。", "在满足要求的前提下，选取最简单的形式。", "术语的用法与来源保持一致。", "先说明限制，再说明例外。", "每个数字都能追溯到出处。"},
		points:   []string{"已覆盖以下内容：{point}。", "此项要求已经满足：{point}。", "这里特别留意了：{point}。"},
		revised:  "此处已按修订说明修改：{point}。", seen: "交付物中可以看到：{point}。", stop: "。", space: "", colon: "：", facts: chineseFacts(), forms: chineseForms(),
	}
}

func russian() vocabulary {
	return vocabulary{
		label:  labelRussian,
		people: []string{"Марина", "Тимофей", "Инна", "Кирилл", "Евдокия", "Роман", "Сельма", "Егор", "Таисия", "Антон"},
		places: []string{"старая пристань", "пустая обсерватория", "крытый рынок", "северные ворота", "дорога у реки", "оранжерея"},
		things: []string{"запечатанное письмо", "сломанные часы", "фонарь", "учётная книга", "медный ключ", "карта", "неотправленный ответ", "колокол"},
		titles: []string{"Тихая пристань", "Незапертая дверь", "Что сберегла река", "Второй фонарь", "Под северными воротами", "Книга дождя", "Честная мера", "Долгий путь назад"},
		shorts: []string{"спокойный", "главный", "тихий", "ясный", "тревожный", "простой"}, genders: []string{"женский", "мужской"},
		day: "День {n}", part: "Часть {n}",
		openings: []string{"Место действия — {place}; здесь появляется {name}, пока все ещё спят.", "Всё начинается здесь: {place}. Первым слово берёт {name}.", "Дождь кончился. Впереди {place}, и туда идёт {name}."},
		story: []string{
			"На столе {thing}, и никто не решается заговорить.", "Какое-то время слышно только, как живёт {place}.", "— Мы так договорились, — говорит {name}, и ответ приходит не сразу.",
			"Здесь же {thing}, и в этом вся беда.", "{name} считает шаги назад и находит один лишний.", "Мимо проезжает телега, и разговор становится тише.",
			"{name} помнит обещание и держит его слово в слово.", "Свет медленно уходит, и {place} темнеет.", "Желание простое, а цена — нет, и {name} это знает.",
			"Кто-то должен решить, и решает {name}.", "Все смотрят туда, где {thing}, словно ждут первого слова.", "{name} пишет три слова и два зачёркивает.",
		},
		beats:    []string{"{name} переходит к главному: {point}.", "И вот это происходит: {point}.", "Теперь важно только одно: {point}."},
		remarks:  []string{"Взвешенный ответ, тема: {topic}; всё взято из данных.", "Следует из темы «{topic}» и не выходит за неё.", "Выбрано так, чтобы тема «{topic}» осталась цельной."},
		document: []string{"Эта часть посвящена одному: {topic}.", "Порядок работы следует порядку нужды.", "Каждый шаг называет вход, результат и признак готовности.", "Неясное записано там, куда читатель смотрит первым.", "Выбрана самая простая форма, которая отвечает требованию.", "Термины употребляются так же, как в источнике.", "Сначала указаны границы, потом исключения.", "Каждое число можно проследить до его источника."},
		points:   []string{"Сюда входит следующее: {point}.", "Требование выполнено: {point}.", "Особое внимание уделено вот чему: {point}."},
		revised:  "Исправлено согласно замечаниям: {point}.", seen: "Видно в результате: {point}.", stop: ".", space: " ", colon: ": ", facts: russianFacts(), forms: russianForms(),
	}
}
