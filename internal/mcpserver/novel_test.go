package mcpserver

import (
	"context"
	"encoding/json"
	"testing"

	"sluice/internal/fault"
)

// The gate is asked before a call returns: nothing after a chapter that waits is begun.
func TestBooksAreGatedAtOnce(t *testing.T) {
	for tool, args := range map[string]string{
		"chapter.text.generate":  `{"project":"mybook","chapter_number":3}`,
		"scene.generate":         `{"project":"mybook","chapter_number":3,"scene_number":1}`,
		"scene.merge_to_chapter": `{"project":"mybook","chapter_number":3}`,
		"novel_run":              `{"project":"mybook","chapters":[1,3]}`,
		"novel_step":             `{"project":"mybook","step":"plan","chapters":[3]}`,
		"novel_regen":            `{"project":"mybook","chapter_number":3}`,
	} {
		t.Run(tool, func(t *testing.T) {
			d := newDesk()
			c := connect(t, newServer(t, d, nil), "", nil)
			res := c.call(tool, args)
			var doc struct {
				Error struct {
					Code    fault.Code     `json:"code"`
					Blocked int            `json:"blocked_chapter"`
					Target  int            `json:"target_chapter"`
					Next    []fault.Action `json:"next_actions"`
				} `json:"error"`
			}
			if err := json.Unmarshal([]byte(textOf(t, res)), &doc); err != nil {
				t.Fatal(err)
			}
			if !res.IsError || doc.Error.Code != fault.RevisionPending || doc.Error.Blocked != 2 || doc.Error.Target != 3 || len(doc.Error.Next) == 0 {
				t.Errorf("got %s", textOf(t, res))
			}
			if len(d.acts) > 0 {
				t.Errorf("something was begun: %q", d.acts)
			}
		})
	}
}

func TestBooksAreWrittenBehindTheCall(t *testing.T) {
	d := newDesk()
	begun, free := make(chan struct{}), make(chan struct{})
	d.drive = func(context.Context, string) error {
		close(begun)
		<-free
		return fault.New(fault.RevisionPending, "mybook", "chapter 2 waits for revision")
	}
	s := newServer(t, d, nil)
	c := connect(t, s, "", nil)
	type shown struct {
		Project string
		Drive   *DriveDoc
		Block   *struct {
			RevisionStatusFile string `json:"revision_status_file"`
		}
		Next []fault.Action `json:"next_actions"`
	}
	if doc := must[shown](c, "novel_run", `{"project":"mybook"}`); doc.Drive == nil || doc.Drive.State != "running" {
		t.Fatalf("got %+v", doc)
	}
	<-begun
	if code, _ := refused(c, "novel_regen", `{"project":"mybook","chapter_number":1}`); code != fault.LeaseHeld {
		t.Errorf("a second piece of work gives %s", code)
	}
	close(free)
	s.drives.group.Wait()
	doc := must[shown](c, "novel_status", `{"project":"mybook"}`)
	if doc.Drive == nil || doc.Drive.State != "waiting" || doc.Drive.Code != string(fault.RevisionPending) {
		t.Errorf("got %+v", doc.Drive)
	}
	if doc.Block == nil || doc.Block.RevisionStatusFile == "" || len(doc.Next) == 0 { // what the drive came to, with the ways out
		t.Errorf("got %+v with %+v", doc.Block, doc.Next)
	}
}

func TestAgentsDecideNoRevision(t *testing.T) {
	c := connect(t, newServer(t, newDesk(), func(o *Options) { o.Profile = Agent }), "", nil)
	all := listed(t, c)
	for _, tool := range []string{"novel_apply", "novel_reject", "novel_rollback"} {
		if all[tool] != nil {
			t.Errorf("%s is served to agents", tool)
		}
	}
	if all["novel_candidate"] == nil {
		t.Error("novel_candidate is not served")
	}
}

func TestUnknownBookAndWrongPlaces(t *testing.T) {
	c := connect(t, newServer(t, newDesk(), nil), "", nil)
	for _, one := range []struct {
		tool, args string
		code       fault.Code
	}{
		{"novel_status", `{"project":"other"}`, fault.UnknownProject},
		{"novel_run", `{"project":"other"}`, fault.UnknownProject},
		{"novel_rollback", `{"project":"mybook"}`, fault.BadValue},
		{"novel_rollback", `{"project":"mybook","to_step":"plan","undo":true}`, fault.BadValue},
		{"novel_new", `{"project":"x","premise":" "}`, fault.BadValue},
	} {
		if code, _ := refused(c, one.tool, one.args); code != one.code {
			t.Errorf("%s %s gives %s, want %s", one.tool, one.args, code, one.code)
		}
	}
}
