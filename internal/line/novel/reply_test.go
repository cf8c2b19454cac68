package novel

import "testing"

func TestSceneReplies(t *testing.T) {
	for name, tt := range map[string]struct {
		reply  string
		isGood bool
	}{
		"prose":                     {"[rehearsal] She opened the door.", true},
		"fenced prose":              {"```text\nShe opened the door.\n```", true},
		"prose that quotes a brace": {"{sic}, she said.", true},
		"nothing":                   {" \n", false},
		"document":                  {"{\n  \"content\": \"She opened the door.\"}", false},
		"document that breaks off":  {"{\"content\": \"She opened", false},
		"fenced document":           {"```json\n{\"content\": \"She opened the door.\"}\n```", false},
	} {
		t.Run(name, func(t *testing.T) {
			if flaws := sceneFlaws(tt.reply); (len(flaws) == 0) != tt.isGood {
				t.Errorf("sceneFlaws(%q) = %q", tt.reply, flaws)
			}
		})
	}
}
