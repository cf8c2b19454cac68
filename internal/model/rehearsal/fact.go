package rehearsal

import (
	"slices"
	"strings"
)

// facts is what a language has to say in fields whose names tell what they are for: the forms of a story. Slots are those
// of the vocabulary. A field that holds a word or two is marked by the missing full stop, and carries no label.
type facts map[string][]string

// fact writes a field of a story by its name. In a list each item says something else, and so does each take.
func (m *maker) fact(f field) (string, bool) {
	name := f.name
	if f.of != "" {
		name = f.of
	}
	choices := m.words.facts[name]
	if len(choices) == 0 || !m.fiction() || f.judge {
		return "", false
	}
	if name == "role" {
		choices = m.roles(f, choices)
	}
	choices = allowed(choices, m.in)
	s := choices[(m.turn(aroundItem(f.path))+max(0, f.index)+m.take)%len(choices)]
	if f.of != "" {
		s = strings.ReplaceAll(s, "{name}", f.name) // the value of a map is about its key
	}
	s = m.say(s, f, "")
	if m.endsAsSentence(s) {
		return m.mark(s), true
	}
	return lower(s, choices), true
}

// aroundItem is a path without the number of the innermost list item: its index moves the turn on from there.
func aroundItem(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range slices.Backward(parts) {
		if part != "" && strings.Trim(part, "0123456789") == "" {
			return strings.Join(slices.Delete(parts, i, i+1), "/")
		}
	}
	return path
}

// roles leaves those that fit the place of a person.
func (m *maker) roles(f field, all []string) []string {
	switch {
	case strings.Contains(f.path, "protagonist"):
		return all[:1]
	case strings.Contains(f.path, "antagonist"):
		return all[1:2]
	}
	return all[2:]
}

// lower takes back the capital that a sentence would begin with, where a word is wanted.
func lower(s string, words []string) string {
	for _, w := range words {
		if strings.EqualFold(w, s) {
			return w
		}
	}
	return s
}

func englishFacts() facts {
	return facts{
		"time_period":        {"The fourth year after the flood", "The autumn of 1912", "The last decade of the guilds"},
		"geography":          {"One road joins {place} with the upper town, half a day on foot; beyond lies open water.", "Everything lies within a day of {place}; the pass to the north is closed in winter.", "A river divides the town; the only bridge stands by {place}."},
		"social_system":      {"Seven families hold the offices, and whoever keeps the books keeps the town.", "The guilds decide, the council signs, and strangers pay twice.", "Nobody is free who owes money, and almost everybody owes some."},
		"technology_level":   {"Steam and clockwork; news travels as fast as a boat.", "Lamps, printing presses and sail; nothing that hurries.", "Telegraph along the coast, horses inland."},
		"culture_customs":    {"A promise made over bread is held to be law.", "Doors stay open until dusk, and a closed one is an insult.", "Names of the drowned are not spoken before noon."},
		"power_system":       {"There is none but patience, and it has its price.", "Whoever can read the old marks can find what was hidden, once."},
		"special_rules":      {"What was entered in the book cannot be struck out.", "The bell rings for a death and for nothing else."},
		"core_theme":         {"What does one owe to those who trusted a mistake?", "May a town live on something that is not true?", "Who has the right to keep a secret for others?"},
		"sub_themes":         {"Loyalty that has outlived its reason.", "What is inherited without being wanted.", "The difference between silence and consent."},
		"main_conflict":      {"{name} wants the truth about what happened in {place}; those who live by the lie cannot let it out.", "{name} must choose between a promise and the people it harms."},
		"sub_conflicts":      {"{name} is believed by nobody who matters.", "An old friendship stands against a new duty.", "Every step forward costs somebody else."},
		"role":               {"protagonist", "antagonist", "friend", "rival", "witness", "messenger"},
		"age":                {"34", "51", "27", "46", "19", "62"},
		"appearance":         {"A scar across the left hand, a coat too large.", "Grey early, always with a pencil behind the ear.", "Small and quick, and never seen to sit."},
		"personality":        {"Exact to the point of harshness; speaks last and means it.", "Generous with everything but time; laughs when afraid.", "Patient, stubborn, slow to forgive; answers questions with questions."},
		"background":         {"Grew up over a workshop and left it too early.", "Came with the last boat before the flood and never said from where.", "Kept the accounts of people who are all dead now."},
		"motivation":         {"Wants to be believed, once, by the right person.", "Wants the matter closed before it is asked who opened it.", "Wants to leave, and needs a reason to stay."},
		"abilities":          {"reads locks", "remembers faces", "knows the tides", "writes any hand"},
		"relationships":      {"Owes {name} an answer.", "Trusts {name}, and should not.", "Would do what {name} asks, once."},
		"beginning":          {"{name} finds what should have stayed hidden, and cannot put it back.", "A harmless errand leads {name} to {place}, and nobody wants to know why."},
		"development":        {"Whoever helps {name} loses something by it, and the circle of those who knew grows.", "The proof is found, doubted and lost; {name} has to begin from the other side."},
		"climax":             {"In {place} all who knew are in one room, and {name} has to speak first.", "{name} gives up the only proof to save the one who lied."},
		"resolution":         {"The truth is known, and the town goes on; {name} stays, which nobody expected.", "What was hidden lies open, and {name} leaves before anyone gives thanks."},
		"key_events":         {"{name} finds {thing} in {place}.", "{name} refuses to hand over {thing}.", "{name} learns who was in {place} that night.", "{name} and a witness agree to say nothing.", "{thing} is gone when {name} comes back to {place}."},
		"key_actions":        {"{name} searches {place} and finds {thing}.", "{name} asks the one question that was forbidden.", "{name} hides {thing} before the others come.", "{name} lets the wrong person go.", "{name} reads the last line aloud."},
		"purpose":            {"{name} learns that somebody has lied.", "{name} gains an ally and loses a way out.", "{name} has to decide without knowing enough."},
		"scene_type":         {"discovery", "confrontation", "decision", "aftermath", "pursuit"},
		"intensity":          {"low", "medium", "high"},
		"dependency_type":    {"event", "knowledge", "object"},
		"location_summary":   {"It happens in {place}; everyone is still there at the end.", "It begins and ends in {place}."},
		"character_states":   {"{name} is well, in {place}, and knows a little more than before.", "{name} is tired but unhurt, in {place}, and keeps a promise.", "{name} is in {place}, and has told nobody."},
		"unresolved_threads": {"Who left {thing} in {place}?", "What was said before {name} came?", "Why does nobody speak of {thing}?"},
	}
}

func chineseFacts() facts {
	return facts{
		"time_period":        {"大水之后的第四年", "民国初年的秋天", "行会最后的十年"},
		"geography":          {"一条路连着{place}与上城，步行半日；再往外便是开阔的水面。", "一切都在{place}一日之内；北边的山口冬天不通。", "一条河把城分成两半，唯一的桥在{place}旁边。"},
		"social_system":      {"七个家族掌着官职，谁管账册，谁就管城。", "行会拿主意，议事厅盖印，外乡人付双份。", "欠债的人不自由，而几乎人人都欠着一点。"},
		"technology_level":   {"蒸汽与钟表；消息走得和船一样快。", "油灯、印刷与帆，没有一样是急的。", "沿海有电报，内地靠马。"},
		"culture_customs":    {"在饭桌上许下的话，等同于律法。", "天黑前门都开着，关门是一种冒犯。", "正午之前不提溺亡者的名字。"},
		"power_system":       {"除了耐心别无力量，而耐心有它的价钱。", "认得旧记号的人能找到被藏起来的东西，只有一次。"},
		"special_rules":      {"写进账册的，不能划掉。", "钟只为死者而鸣。"},
		"core_theme":         {"对那些相信了一个错误的人，我们欠着什么？", "一座城能靠不真的东西活下去吗？", "谁有权替别人守一个秘密？"},
		"sub_themes":         {"已经没有理由的忠诚。", "不想要却继承下来的东西。", "沉默与同意的差别。"},
		"main_conflict":      {"{name}要弄清在{place}发生过什么，而靠谎言过活的人不能让真相出来。", "{name}必须在一个承诺与被它伤害的人之间选择。"},
		"sub_conflicts":      {"要紧的人里没有一个相信{name}。", "旧的情谊挡在新的责任前面。", "每往前一步，都由别人付出代价。"},
		"role":               {"主角", "对手", "朋友", "竞争者", "见证人", "信使"},
		"age":                {"34", "51", "27", "46", "19", "62"},
		"appearance":         {"左手一道疤，外衣总是太大。", "早白了头，耳后夹着铅笔。", "个子小，动作快，从没见其坐下。"},
		"personality":        {"精确到近乎苛刻，最后开口，说了就算。", "除了时间什么都舍得，害怕时会笑。", "有耐心，固执，不轻易原谅，用问题回答问题。"},
		"background":         {"在作坊楼上长大，离开得太早。", "坐大水前最后一班船来，从不说从哪里来。", "替如今都已不在的人管过账。"},
		"motivation":         {"想被对的人相信一次。", "想在有人追问之前把这件事了结。", "想离开，却需要一个留下的理由。"},
		"abilities":          {"开锁", "记人脸", "懂潮水", "仿写笔迹"},
		"relationships":      {"欠{name}一个回答。", "信任{name}，其实不该。", "{name}开口的话，会答应一次。"},
		"beginning":          {"{name}找到了本该藏着的东西，再也放不回去。", "一件寻常的差事把{name}带到{place}，没有人想知道为什么。"},
		"development":        {"帮{name}的人都因此失去些什么，知情者越来越多。", "证据被找到、被怀疑、又丢失，{name}只能从另一头开始。"},
		"climax":             {"知情的人都到了{place}，{name}必须先开口。", "{name}交出唯一的证据，救了那个说谎的人。"},
		"resolution":         {"真相大白，城照旧过日子；{name}留了下来，谁也没想到。", "藏着的东西摊开了，{name}在道谢之前离开。"},
		"key_events":         {"{name}在{place}找到{thing}。", "{name}不肯交出{thing}。", "{name}得知那一夜谁在{place}。", "{name}与见证人约定什么也不说。", "{name}回到{place}时，{thing}已经不见。"},
		"key_actions":        {"{name}在{place}翻找，发现{thing}。", "{name}问出那个不许问的问题。", "{name}赶在别人来之前藏起{thing}。", "{name}放走了不该放的人。", "{name}念出最后一行。"},
		"purpose":            {"{name}知道有人说了谎。", "{name}得到一个同伴，失去一条退路。", "{name}必须在知道得不够时作决定。"},
		"scene_type":         {"发现", "对峙", "抉择", "余波", "追寻"},
		"intensity":          {"低", "中", "高"},
		"dependency_type":    {"事件", "信息", "物件"},
		"location_summary":   {"事情发生在{place}，结束时众人仍在那里。", "从{place}开始，也在{place}结束。"},
		"character_states":   {"{name}在{place}，安好，比先前多知道一点。", "{name}疲惫但没有受伤，在{place}，守着承诺。", "{name}在{place}，没有告诉任何人。"},
		"unresolved_threads": {"是谁把{thing}留在{place}？", "{name}到来之前，他们说过什么？", "为什么没有人提起{thing}？"},
	}
}

func russianFacts() facts {
	return facts{
		"time_period":        {"Четвёртый год после большой воды", "Осень 1912 года", "Последнее десятилетие гильдий"},
		"geography":          {"Главное место — {place}; до верхнего города полдня пешком, дальше открытая вода.", "Всё лежит в одном дне пути; в середине {place}, северный перевал зимой закрыт.", "Город делит река; у единственного моста — {place}."},
		"social_system":      {"Должности держат семь семей: у кого книги, у того и город.", "Решают гильдии, подписывает совет, чужие платят вдвое.", "Кто должен, тот не свободен, а должны почти все."},
		"technology_level":   {"Пар и часовые механизмы; вести идут со скоростью лодки.", "Лампы, печатный станок и парус; ничего поспешного.", "Телеграф вдоль берега, лошади в глубине страны."},
		"culture_customs":    {"Обещание за хлебом считается законом.", "До сумерек двери открыты, закрытая дверь — обида.", "Имена утонувших не произносят до полудня."},
		"power_system":       {"Силы нет, кроме терпения, и у него своя цена.", "Кто читает старые знаки, найдёт спрятанное, но один раз."},
		"special_rules":      {"Что внесено в книгу, вычеркнуть нельзя.", "Колокол звонит только по умершим."},
		"core_theme":         {"Чем мы обязаны тем, кто поверил ошибке?", "Может ли город жить тем, что неправда?", "Кто вправе хранить тайну за других?"},
		"sub_themes":         {"Верность, которая пережила свою причину.", "То, что достаётся в наследство без желания.", "Разница между молчанием и согласием."},
		"main_conflict":      {"{name} ищет правду; место, где всё случилось, — {place}, и те, кто живёт ложью, не могут её отпустить.", "{name} выбирает между обещанием и теми, кому оно вредит."},
		"sub_conflicts":      {"{name} говорит, и никто из важных людей не верит.", "Старая дружба стоит против нового долга.", "За каждый шаг вперёд платит кто-то другой."},
		"role":               {"главный герой", "противник", "друг", "соперник", "свидетель", "гонец"},
		"age":                {"34", "51", "27", "46", "19", "62"},
		"appearance":         {"Шрам на левой руке, пальто не по росту.", "Ранняя седина, карандаш за ухом.", "Малый рост, быстрые движения, вечно на ногах."},
		"personality":        {"Точность на грани суровости; последнее слово и твёрдое.", "Щедрость во всём, кроме времени; смех от страха.", "Терпение, упрямство, долгая память; вопросом на вопрос."},
		"background":         {"Детство над мастерской и слишком ранний уход.", "Последняя лодка перед большой водой и ни слова о том, откуда.", "Годы за счётами людей, которых больше нет."},
		"motivation":         {"Один раз услышать от нужного человека: верю.", "Закрыть дело прежде, чем спросят, кто его открыл.", "Уехать, но нужна причина остаться."},
		"abilities":          {"вскрывает замки", "помнит лица", "знает приливы", "пишет любым почерком"},
		"relationships":      {"{name} ждёт ответа.", "{name} пользуется доверием, и напрасно.", "{name} может попросить об одном."},
		"beginning":          {"{name} находит то, что должно было остаться скрытым, и вернуть уже нельзя.", "Простое поручение, а в конце пути — {place}; {name} не знает, зачем."},
		"development":        {"Каждый, кому доверяет {name}, что-то теряет, и знающих всё больше.", "Доказательство найдено, оспорено и потеряно; {name} начинает с другой стороны."},
		"climax":             {"Все, кто знал, собрались; вокруг {place}, и первым говорит {name}.", "{name} отдаёт единственное доказательство и спасает того, кто солгал."},
		"resolution":         {"Правда известна, город живёт дальше; {name} остаётся, и этого не ждал никто.", "Скрытое открыто, и {name} уходит прежде благодарностей."},
		"key_events":         {"{name} делает находку: {thing}.", "{name} отказывается отдать то, что просят: {thing}.", "{name} узнаёт, кто был здесь той ночью: {place}.", "{name} и свидетель уславливаются молчать.", "{name} возвращается, а на месте пусто: {thing}."},
		"key_actions":        {"{name} ищет и находит: {thing}.", "{name} задаёт запретный вопрос.", "{name} прячет улику: {thing}.", "{name} отпускает не того человека.", "{name} читает вслух последнюю строку."},
		"purpose":            {"{name} понимает, что кто-то солгал.", "{name} находит союзника и теряет путь назад.", "{name} решает, не зная всего."},
		"scene_type":         {"открытие", "столкновение", "решение", "последствия", "поиск"},
		"intensity":          {"низкая", "средняя", "высокая"},
		"dependency_type":    {"событие", "знание", "предмет"},
		"location_summary":   {"Место действия: {place}; в конце все ещё там.", "Начало и конец здесь: {place}."},
		"character_states":   {"{name} в порядке и знает чуть больше; место: {place}.", "{name} без единой раны, но без сил; место: {place}.", "{name} молчит обо всём; место: {place}."},
		"unresolved_threads": {"Откуда здесь взялось вот это: {thing}?", "Что было сказано раньше, и знает ли об этом {name}?", "Почему об этом молчат: {thing}?"},
	}
}
