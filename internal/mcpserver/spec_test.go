package mcpserver

import (
	"slices"
	"strings"
	"testing"

	"sluice/internal/fault"
)

const answerNothing = `{"feature_id":"` + asking + `"}`

func TestQuestionsArePutToThePerson(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			d := newDesk()
			var shown []string
			c := connect(t, newServer(t, d, func(o *Options) { o.RequirePerson = true }), protocol,
				saying("accept", map[string]any{"Q-1": " find a book ", "Q-2": "dev", "Q-9": "nobody asked"}, &shown))
			must[struct{}](c, "spec_answer", answerNothing)
			if want := "spec answer  find a book , dev by person ann via mcp tester"; !slices.Contains(d.acts, want) {
				t.Errorf("acts are %q, want %q", d.acts, want)
			}
			if len(shown) != 1 || !strings.Contains(shown[0], `"enum":["dev","test"]`) || !strings.Contains(shown[0], "What for?") {
				t.Errorf("shown %q", shown)
			}
			if code, _ := refused(c, "spec_answer", specCalls["spec_answer"]); code != fault.PersonRequired {
				t.Errorf("answers of the client give %s where a person is required", code)
			}
		})
	}
}

func TestPersonAnswersNothing(t *testing.T) {
	for action, content := range map[string]map[string]any{"decline": nil, "cancel": nil, "accept": {"Q-1": "  "}} {
		d := newDesk()
		var shown []string
		c := connect(t, newServer(t, d, nil), "", saying(action, content, &shown))
		if code, _ := refused(c, "spec_answer", answerNothing); code != fault.PersonRequired {
			t.Errorf("%s gives %s", action, code)
		}
		if len(d.acts) > 0 {
			t.Errorf("%s: acts are %q", action, d.acts)
		}
	}
	c := connect(t, newServer(t, newDesk(), nil), "", nil) // a client that cannot ask
	if code, _ := refused(c, "spec_answer", answerNothing); code != fault.PersonRequired {
		t.Errorf("a client that cannot ask gives %s", code)
	}
}

func TestAgentsDecideNothingAboutSpecs(t *testing.T) {
	c := connect(t, newServer(t, newDesk(), func(o *Options) { o.Profile = Agent }), "", nil)
	all := listed(t, c)
	for _, tool := range []string{"spec_answer", "spec_review", "spec_reopen", "spec_publish"} {
		if all[tool] != nil {
			t.Errorf("%s is served to agents", tool)
		}
	}
	for _, tool := range []string{"spec_new", "spec_show", "spec_trace"} {
		if all[tool] == nil {
			t.Errorf("%s is not served to agents", tool)
		}
	}
}
