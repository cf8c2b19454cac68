package mcpserver

import (
	"context"
	"slices"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/line/scene"
	"sluice/internal/schema"
)

type sessionIn struct {
	SessionName string `json:"session_name,omitempty"`
}

type commitIn struct {
	SessionName string `json:"session_name,omitempty"`
	Confirm     bool   `json:"confirm,omitempty"`
}

type pathIn struct {
	Path        string `json:"path"`
	Write       bool   `json:"write,omitempty"`
	SessionName string `json:"session_name,omitempty"`
}

type inboxIn struct {
	WorkflowID  string `json:"workflow_id,omitempty"`
	SessionName string `json:"session_name,omitempty"`
}

// switchDoc says in which session a connection works.
type switchDoc struct {
	Success     bool   `json:"success"`
	SessionName string `json:"session_name,omitempty"` // absent: in none
}

// named gives the session that a tool about sessions is about; it must be one.
func (c *call) named(given string) (string, error) {
	name, err := c.session(given)
	if err == nil && name == "" {
		err = fault.New(fault.BadValue, "session_name", "no session is named, and this connection has no current one").
			With(fault.Action{Action: "list_sessions", Command: "sluice session list", Why: "it shows the sessions there are"})
	}
	return name, err
}

func sessionTools() ([]tool, error) {
	create, err := define(tool{name: "create_session", title: "Create a session", hints: adds,
		about: "Opens a copy-on-write session: what is written in it reaches the workspace only when it is committed."},
		[]schema.Option{schema.Required("session_name"), fitSession, schema.Describe("session_name", "name of the new session")}, nil,
		func(ctx context.Context, c *call, in sessionIn) (app.SessionDoc, error) {
			if err := scene.CheckSession(in.SessionName); err != nil {
				return app.SessionDoc{}, err
			}
			return c.asPerson(false).CreateSession(ctx, in.SessionName, "mcp "+c.client())
		})
	if err != nil {
		return nil, err
	}
	list, err := define(tool{name: "list_sessions", title: "List sessions", hints: reads,
		about: "Lists the sessions, and names the current one of this connection."},
		[]schema.Option{fitSession, schema.Describe("session_name", "lists this session only")}, nil,
		func(ctx context.Context, c *call, in sessionIn) (app.SessionsDoc, error) {
			if err := scene.CheckSession(in.SessionName); err != nil {
				return app.SessionsDoc{}, err
			}
			return c.sessions(ctx, in.SessionName)
		})
	if err != nil {
		return nil, err
	}
	change, err := define(tool{name: "switch_session", title: "Switch session", hints: repeats,
		about: "Makes a session the current one of this connection; without a name, the connection leaves its session."},
		[]schema.Option{fitSession, schema.Describe("session_name", "session that this connection works in from now on")}, nil,
		func(ctx context.Context, c *call, in sessionIn) (switchDoc, error) {
			return c.switchTo(ctx, in.SessionName)
		})
	return []tool{create, list, change}, err
}

// sessions lists sessions as this connection sees them: which one is current is the connection's affair.
func (c *call) sessions(ctx context.Context, only string) (app.SessionsDoc, error) {
	doc, err := c.asClient().Sessions(ctx)
	if err != nil {
		return doc, err
	}
	doc.Current = c.current.of(c.req.Session)
	if only != "" {
		doc.Sessions = slices.DeleteFunc(doc.Sessions, func(s app.SessionDoc) bool { return s.SessionName != only })
		doc.Total = len(doc.Sessions)
	}
	for i := range doc.Sessions {
		doc.Sessions[i].Current = doc.Current != "" && doc.Sessions[i].SessionName == doc.Current
	}
	return doc, nil
}

func (c *call) switchTo(ctx context.Context, name string) (switchDoc, error) {
	if err := scene.CheckSession(name); err != nil {
		return switchDoc{}, err
	}
	if err := c.needsConnection(name); err != nil {
		return switchDoc{}, err
	}
	if name != "" {
		doc, err := c.sessions(ctx, name)
		if err != nil {
			return switchDoc{}, err
		}
		if !slices.ContainsFunc(doc.Sessions, func(s app.SessionDoc) bool { return s.Status == "active" }) {
			return switchDoc{}, fault.New(fault.NotFound, name, "there is no open session %s", name).
				With(fault.Action{Action: "list_sessions", Command: "sluice session list", Why: "it shows the sessions there are"},
					fault.Action{Action: "create_session", Command: "sluice session new " + name, Why: "it opens one of that name"})
		}
	}
	c.current.set(c.req.Session, name, c.lasting)
	return switchDoc{Success: true, SessionName: name}, nil
}

func endTools() ([]tool, error) {
	commit, err := define(tool{name: "commit_session", title: "Commit a session", hints: removes,
		about: "Previews what a commit would change in the workspace; with confirm true, commits all of it or nothing. A file that changed meanwhile is a conflict and stops it."},
		[]schema.Option{aboutSession, fitSession, schema.Describe("confirm", "true commits; otherwise nothing is changed")}, nil,
		func(ctx context.Context, c *call, in commitIn) (app.CommitDoc, error) { return c.commit(ctx, in) })
	if err != nil {
		return nil, err
	}
	cancel, err := define(tool{name: "cancel_session", title: "Cancel a session", hints: removes, isApproving: true,
		about: "Ends a session and throws away what was written in it. The workspace stays as it is."},
		[]schema.Option{aboutSession, fitSession}, nil,
		func(ctx context.Context, c *call, in sessionIn) (app.CommitDoc, error) {
			name, err := c.named(in.SessionName)
			if err != nil {
				return app.CommitDoc{}, err
			}
			said, err := c.confirm(matter{subject: name, command: "sluice session cancel " + name,
				text: "Cancel session " + name + " and throw away what was written in it?\nAsked by " + c.client() + "."})
			if err != nil {
				return app.CommitDoc{}, err
			}
			doc, err := c.asPerson(said.isPersons).CancelSession(ctx, name)
			if err == nil {
				c.current.leave(name)
			}
			return doc, err
		})
	return []tool{commit, cancel}, err
}

// commit previews, or commits what a person agreed to.
func (c *call) commit(ctx context.Context, in commitIn) (app.CommitDoc, error) {
	name, err := c.named(in.SessionName)
	if err != nil {
		return app.CommitDoc{}, err
	}
	if !in.Confirm {
		return c.asClient().CommitSession(ctx, name, false)
	}
	command := "sluice session commit " + name + " --confirm"
	if c.opts.Profile == Agent {
		return app.CommitDoc{}, fault.New(fault.PersonRequired, name, "committing session %s is a person's decision; profile agent only previews it", name).
			With(fault.Action{Action: "commit", Command: command, Why: "a person commits it at the command line"})
	}
	preview, err := c.asClient().CommitSession(ctx, name, false)
	if err != nil {
		return app.CommitDoc{}, err
	}
	shown, err := digest.OfValue(preview)
	if err != nil {
		return app.CommitDoc{}, err
	}
	said := confirmation{}
	if c.opts.RequirePerson || len(preview.Conflicts) == 0 && !preview.Already { // what cannot be done is refused without asking
		if said, err = c.confirm(matter{subject: name, version: shown, command: command, text: commitText(preview, c.client())}); err != nil {
			return app.CommitDoc{}, err
		}
	}
	if said.isPersons && said.version != shown {
		return app.CommitDoc{}, fault.New(fault.StaleVerdict, name, "session %s changed since the person was asked", name).
			With(fault.Action{Action: "call again", Why: "the person is shown what would be committed now"})
	}
	doc, err := c.asPerson(said.isPersons).CommitSession(ctx, name, true)
	if err == nil {
		c.current.leave(name)
	}
	return doc, err
}

func pathTools() ([]tool, error) {
	resolve, err := define(tool{name: "resolve_path", title: "Resolve a path", hints: repeats,
		about: "Says which file stands for a path in a session. With write true the file is copied into the session first, so that it can be changed there."},
		[]schema.Option{schema.Describe("path", "path relative to the workspace, with /"), schema.Describe("write", "true: the file is going to be changed"),
			schema.Length("path", 1, 4096), aboutSession, fitSession}, nil,
		func(ctx context.Context, c *call, in pathIn) (app.PathDoc, error) {
			session, err := c.session(in.SessionName)
			if err != nil {
				return app.PathDoc{}, err
			}
			return c.asClient().ResolvePath(ctx, session, in.Path, in.Write)
		})
	if err != nil {
		return nil, err
	}
	inbox, err := define(tool{name: "get_inbox", title: "Inbox", hints: reads,
		about: "Lists what waits for a person, with the exact commands that answer it."},
		[]schema.Option{fitWorkflow, fitSession, schema.Describe("workflow_id", "only what this workflow asks"), schema.Describe("session_name", "only what workflows of this session ask")}, nil,
		func(ctx context.Context, c *call, in inboxIn) (app.InboxDoc, error) { return c.inbox(ctx, in) })
	return []tool{resolve, inbox}, err
}

func (c *call) inbox(ctx context.Context, in inboxIn) (app.InboxDoc, error) {
	if in.WorkflowID != "" {
		if err := scene.CheckID(in.WorkflowID); err != nil {
			return app.InboxDoc{}, err
		}
	}
	if err := scene.CheckSession(in.SessionName); err != nil {
		return app.InboxDoc{}, err
	}
	box, err := c.asClient().Inbox(ctx, in.WorkflowID)
	if err != nil || in.SessionName == "" {
		return box, err
	}
	list, err := c.asClient().Workflows(ctx, scene.Query{SessionName: in.SessionName})
	if err != nil {
		return box, err
	}
	box.Asks = slices.DeleteFunc(box.Asks, func(a app.AskDoc) bool {
		return !slices.ContainsFunc(list.Workflows, func(w scene.ListRow) bool { return w.WorkflowID == a.Run })
	})
	return box, nil
}

// tools are all there are, in the order in which they are used.
func tools() ([]tool, error) {
	var all []tool
	for _, group := range []func() ([]tool, error){startTools, readTools, changeTools, approveTools, listTools, sessionTools, endTools, pathTools,
		specStartTools, specPersonTools, specShowTools, specPastTools, specProofTools, bookTools, bookWorkTools, bookReportTools, bookDecisionTools} {
		some, err := group()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
