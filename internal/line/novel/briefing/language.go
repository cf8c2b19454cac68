package briefing

import (
	"strings"

	"golang.org/x/text/language"
)

var languageNames = map[string]string{
	"ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
	"en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew",
	"hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese",
	"ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
	"pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian",
	"sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}

// LanguageName names the language of a tag for an instruction in English: "Chinese (zh-Hant)". A tag that is none is
// English, for what a file says must not reach an instruction unread.
func LanguageName(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return languageNames["en"]
	}
	base, _ := t.Base()
	name := languageNames[base.String()]
	switch {
	case name == "":
		return "the language with the BCP 47 tag " + t.String()
	case t.String() == base.String():
		return name
	}
	return name + " (" + t.String() + ")"
}

// unitOf is what lengths are counted in.
func unitOf(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if base == "zh" || base == "ja" {
		return "characters"
	}
	return "words"
}
