package bookfile

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/language"
)

// vocabulary is what an export says by itself, in one language.
type vocabulary struct {
	before, after string // around a chapter's number; both empty means number and title alone
	between       string // between number and title
	isHan         bool   // numbers are written as Chinese numerals
	contents      string
	titlePage     string
	cover         string
	author        string // before the author's name
	rehearsal     string
	scene         string // before a scene's number
}

// The word REHEARSAL stands in every language, so that one search finds it.
const rehearsalEnglish = "REHEARSAL: this text was made by the built-in rehearsal model, not by a real one"

var vocabularies = map[string]vocabulary{
	"en": {before: "Chapter ", between: ": ", contents: "Contents", titlePage: "Title page", cover: "Cover", author: "by ", rehearsal: rehearsalEnglish, scene: "Scene "},
	"zh": {before: "第", after: "章", between: " ", isHan: true, contents: "目录", titlePage: "书名页", cover: "封面", author: "作者：",
		rehearsal: "REHEARSAL（排练）：本书文字由内置排练模型生成，并非出自真实模型", scene: "场景 "},
	"ru": {before: "Глава ", between: ". ", contents: "Содержание", titlePage: "Титульный лист", cover: "Обложка", author: "Автор: ",
		rehearsal: "REHEARSAL (репетиция): этот текст создан встроенной репетиционной моделью, а не настоящей", scene: "Сцена "},
	"ja": {before: "第", after: "章", between: " ", contents: "目次", titlePage: "扉", cover: "表紙", author: "著者：", scene: "シーン "},
	"ko": {before: "제", after: "장", between: " ", contents: "차례", titlePage: "속표지", cover: "표지", author: "지은이: ", scene: "장면 "},
	"de": {before: "Kapitel ", between: ": ", contents: "Inhalt", titlePage: "Titelseite", cover: "Umschlag", author: "von ", scene: "Szene "},
	"fr": {before: "Chapitre ", between: " : ", contents: "Table des matières", titlePage: "Page de titre", cover: "Couverture", author: "par ", scene: "Scène "},
	"es": {before: "Capítulo ", between: ": ", contents: "Índice", titlePage: "Portadilla", cover: "Cubierta", author: "por ", scene: "Escena "},
	"it": {before: "Capitolo ", between: ": ", contents: "Indice", titlePage: "Frontespizio", cover: "Copertina", author: "di ", scene: "Scena "},
	"pt": {before: "Capítulo ", between: ": ", contents: "Índice", titlePage: "Folha de rosto", cover: "Capa", author: "por ", scene: "Cena "},
	"uk": {before: "Розділ ", between: ". ", contents: "Зміст", titlePage: "Титульна сторінка", cover: "Обкладинка", author: "Автор: ", scene: "Сцена "},
	"pl": {before: "Rozdział ", between: ". ", contents: "Spis treści", titlePage: "Strona tytułowa", cover: "Okładka", author: "Autor: ", scene: "Scena "},
}

// tongue is a language as an export needs it.
type tongue struct {
	vocabulary
	tag         string // BCP 47; "und" where the book says none that exists
	isCJK       bool
	isRightward bool // written from right to left
}

// tongueOf reads a language tag. A language without words of its own has number and title for a heading, and English for
// the rest.
func tongueOf(tag string) tongue {
	parsed, err := language.Parse(strings.TrimSpace(tag))
	if err != nil {
		parsed = language.Und
	}
	t := tongue{tag: parsed.String()}
	if base, sure := parsed.Base(); sure == language.Exact { // a tag without a language would guess English
		t.vocabulary = vocabularies[base.String()]
	}
	if t.contents == "" {
		t.vocabulary = vocabularies["en"]
		t.before, t.between, t.author = "", ". ", ""
	}
	if t.rehearsal == "" {
		t.rehearsal = rehearsalEnglish
	}
	script, _ := parsed.Script()
	switch script.String() {
	case "Hans", "Hant", "Hani", "Jpan":
		t.isCJK = true
	case "Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg":
		t.isRightward = true
	}
	if script.String() == "Hant" {
		t.contents, t.titlePage = "目錄", "書名頁"
		t.rehearsal = "REHEARSAL（排練）：本書文字由內建排練模型產生，並非出自真實模型"
		t.scene = "場景 "
	}
	return t
}

// Heading is a chapter's heading in the book's language: 第一百一十章 归来, Chapter 3: The Return, Глава 3. Возвращение.
// A title that already says its own number is not given it twice.
func Heading(tag string, number int, title string) string {
	return tongueOf(tag).heading(number, title)
}

func (t tongue) heading(number int, title string) string {
	title = line(title)
	lead := t.before + t.numeral(number) + t.after
	rest := title
	for _, form := range []string{lead, t.before + strconv.Itoa(number) + t.after} {
		if own, ok := cutLead(title, form); ok {
			rest = own
			break
		}
	}
	if rest == "" {
		return lead
	}
	return lead + t.between + rest
}

func (t tongue) numeral(number int) string {
	if t.isHan {
		return ChineseNumeral(number)
	}
	return strconv.Itoa(number)
}

// cutLead takes a heading's own beginning off a title, if what follows it is no part of the same word or number.
func cutLead(title, lead string) (string, bool) {
	lead = strings.TrimSpace(lead)
	if len(title) < len(lead) || !strings.EqualFold(title[:len(lead)], lead) {
		return "", false
	}
	rest := title[len(lead):]
	trimmed := strings.TrimLeftFunc(rest, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(":：.．。、,，—–-·|", r)
	})
	if rest != "" && len(trimmed) == len(rest) {
		return "", false
	}
	if isNumber := strings.TrimFunc(lead, unicode.IsDigit) == ""; isNumber && (rest == "" || rest[0] != '.' || strings.HasPrefix(rest, "..")) {
		return "", false // "3. The Return" says its number, "1984" and "3 Days" are titles
	}
	return trimmed, true
}
