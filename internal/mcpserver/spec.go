package mcpserver

import (
	"context"
	"path"
	"strings"

	"sluice/internal/app"
	"sluice/internal/digest"
	"sluice/internal/fault"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ingest"
	"sluice/internal/schema"
)

type specNewIn struct {
	Text            string   `json:"text,omitempty"`
	Files           []string `json:"files,omitempty"`
	Title           string   `json:"title,omitempty"`
	ProjectID       string   `json:"project_id,omitempty"`
	ContextVersion  string   `json:"context_version,omitempty"`
	ProjectRecordID string   `json:"project_record_id,omitempty"`
	MentorUserID    string   `json:"mentor_user_id,omitempty"`
	InternUserID    string   `json:"intern_user_id,omitempty"`
}

type specAmendIn struct {
	FeatureID string   `json:"feature_id"`
	Text      string   `json:"text,omitempty"`
	Files     []string `json:"files,omitempty"`
}

type featureIn struct {
	FeatureID string `json:"feature_id"`
}

type specAnswerIn struct {
	FeatureID string            `json:"feature_id"`
	Answers   map[string]string `json:"answers,omitempty"`
}

type specReviewIn struct {
	FeatureID   string `json:"feature_id"`
	Decision    string `json:"decision"`
	Reason      string `json:"reason,omitempty"`
	SpecVersion string `json:"spec_version,omitempty"`
}

// featureDoc is where a feature stands, with what this server does about it.
type featureDoc struct {
	app.SpecDoc
	Drive *DriveDoc `json:"drive,omitempty"`
}

// Fields that several tools share.
var (
	aboutFeature = schema.Describe("feature_id", "id of the feature, as spec_list shows it, such as F-2026-001")
	ofFeature    = []schema.Option{aboutFeature}
	aboutFiles   = schema.Describe("files", "paths of files in the workspace that are input, too")
	aboutVersion = schema.Describe("spec_version", "the version meant, such as S-20261115-0002; without it the newest")
	gateResults  = []schema.Option{schema.EnumType(spec.Stages()...)}
	featureOut   = append([]schema.Option{schema.Nullable("gate_result"), schema.EnumType(spec.Statuses()...)}, gateResults...)
)

// developed lets a feature go on in the background, and says where it stands.
func (c *call) developed(d app.SpecDoc, err error) (featureDoc, error) {
	if err != nil {
		return featureDoc{}, err
	}
	verbs := c.asPerson(false)
	c.drives.start(d.FeatureID, func(ctx context.Context, id string) error {
		_, err := verbs.RunSpec(ctx, id)
		return err
	})
	return featureDoc{d, c.drives.doc(d.FeatureID)}, nil
}

// input gathers what a feature is begun or amended with. Files are those of the workspace and of no other place.
func (c *call) input(ctx context.Context, text, title string, files []string) (spec.Wish, error) {
	w := spec.Wish{Title: strings.TrimSpace(title)}
	if strings.TrimSpace(text) != "" {
		w.Sources = append(w.Sources, ingest.Source{Name: "text", Body: []byte(text)})
	}
	for _, f := range files {
		body, err := c.opts.Read(ctx, f)
		if err != nil {
			return w, err
		}
		w.Sources = append(w.Sources, ingest.Source{Name: path.Base(f), Body: body})
	}
	return w, nil
}

func specStartTools() ([]tool, error) {
	begin, err := define(tool{name: "spec_new", title: "Begin a feature", hints: works,
		about: "Begins a feature from any input, a sentence, a chat or documents. It is compiled, gated and planned in the background; spec_questions says where it stands and what it asks."},
		[]schema.Option{aboutFiles, schema.Items("files", 0, 50), schema.Describe("text", "what is wanted, however rough"),
			schema.Describe("context_version", "version of the project's context, C-NN")}, featureOut,
		func(ctx context.Context, c *call, in specNewIn) (featureDoc, error) {
			w, err := c.input(ctx, in.Text, in.Title, in.Files)
			if err != nil {
				return featureDoc{}, err
			}
			wish := app.NewSpec{Wish: w}
			project := spec.ProjectContextRef{ProjectID: in.ProjectID, ContextVersion: in.ContextVersion, ProjectRecordID: in.ProjectRecordID,
				MentorUserID: in.MentorUserID, InternUserID: in.InternUserID}
			if project != (spec.ProjectContextRef{}) {
				wish.Context = &project
			}
			return c.developed(c.asPerson(false).BeginSpec(ctx, wish))
		})
	if err != nil {
		return nil, err
	}
	amend, err := define(tool{name: "spec_amend", title: "Amend a feature", hints: works,
		about: "Gives a published or dropped feature new input: a new run of the same feature, made in the background. spec_diff shows what it changed."},
		append([]schema.Option{aboutFiles, schema.Items("files", 0, 50), schema.Describe("text", "what is new")}, ofFeature...), featureOut,
		func(ctx context.Context, c *call, in specAmendIn) (featureDoc, error) {
			w, err := c.input(ctx, in.Text, "", in.Files)
			if err != nil {
				return featureDoc{}, err
			}
			return c.developed(c.asPerson(false).BeginAmend(ctx, in.FeatureID, w))
		})
	if err != nil {
		return nil, err
	}
	run, err := define(tool{name: "spec_run", title: "Let a feature go on", hints: works,
		about: "Lets a feature go on in the background where it stopped. A step that failed is tried again."},
		ofFeature, featureOut,
		func(ctx context.Context, c *call, in featureIn) (featureDoc, error) {
			return c.developed(c.asClient().SpecStatus(ctx, in.FeatureID))
		})
	return []tool{begin, amend, run}, err
}

func specPersonTools() ([]tool, error) {
	answer, err := define(tool{name: "spec_answer", title: "Answer a feature's questions", hints: works, isApproving: true,
		about: "Answers open questions by path or by number, and lets the feature go on in the background. Without answers the client's user is asked, where the client can. An answer that does not fit its field is refused with the rule."},
		append([]schema.Option{schema.Describe("answers", "path or number of the question → answer; a list is JSON, or one item per line")}, ofFeature...), featureOut,
		func(ctx context.Context, c *call, in specAnswerIn) (featureDoc, error) { return c.answerSpec(ctx, in) })
	if err != nil {
		return nil, err
	}
	reopen, err := define(tool{name: "spec_reopen", title: "Reopen a feature", hints: adds, isApproving: true,
		about: "Leads a feature on hold back to its questions: anything may be answered there."},
		ofFeature, featureOut,
		func(ctx context.Context, c *call, in featureIn) (featureDoc, error) {
			d, err := c.asPerson(false).ReopenSpec(ctx, in.FeatureID)
			return featureDoc{d, c.drives.doc(d.FeatureID)}, err
		})
	if err != nil {
		return nil, err
	}
	review, err := define(tool{name: "spec_review", title: "Decide on a version", hints: adds, isApproving: true,
		about: "Records a person's decision on the version that passed every gate: go, hold or drop, and why. Where the client can ask its user, the user confirms it first."},
		append([]schema.Option{schema.Enum("decision", string(spec.Go), string(spec.Hold), string(spec.Drop)), schema.Describe("reason", "why, for the record"),
			schema.Describe("spec_version", "the version that is decided on; without it the one up for review")}, ofFeature...), featureOut,
		func(ctx context.Context, c *call, in specReviewIn) (featureDoc, error) { return c.reviewSpec(ctx, in) })
	return []tool{answer, reopen, review}, err
}

// answerSpec records answers; without any the person at the client is asked.
func (c *call) answerSpec(ctx context.Context, in specAnswerIn) (featureDoc, error) {
	isPersons := false
	if len(in.Answers) == 0 {
		d, err := c.asClient().SpecQuestions(ctx, in.FeatureID, false)
		if err != nil {
			return featureDoc{}, err
		}
		if in.Answers, err = c.askQuestions(d); err != nil {
			return featureDoc{}, err
		}
		isPersons = true
	} else if c.opts.RequirePerson {
		return featureDoc{}, fault.New(fault.PersonRequired, in.FeatureID, "answers of %s need a person and mcp.require_person is true; answers of client %s are not taken", clip(in.FeatureID), c.client()).
			With(fault.Action{Action: "call again", Why: "without answers, so that the person at the client is asked"},
				fault.Action{Action: "answer", Command: "sluice spec answer " + clip(in.FeatureID), Why: "a person answers at the command line"})
	}
	return c.developed(c.asPerson(isPersons).RecordSpecAnswers(ctx, in.FeatureID, in.Answers))
}

// reviewSpec asks the person at the client, if it can, and records the decision on the version that was shown.
func (c *call) reviewSpec(ctx context.Context, in specReviewIn) (featureDoc, error) {
	d, err := c.asClient().SpecStatus(ctx, in.FeatureID)
	if err != nil {
		return featureDoc{}, err
	}
	v := spec.Verdict{Decision: spec.Recommendation(in.Decision), SpecVersion: in.SpecVersion, Reason: in.Reason}
	if v.SpecVersion == "" {
		v.SpecVersion = d.SpecVersion
	}
	shown := digest.Of([]byte(v.SpecVersion))
	var said confirmation
	if d.Status == spec.ExecutableReady || d.Status == spec.OnHold { // otherwise the verb refuses it, and nobody is asked
		said, err = c.confirm(matter{subject: d.FeatureID, version: shown, command: "sluice spec review " + d.FeatureID + " " + clip(in.Decision) + " --reason TEXT",
			text: "Decide " + clip(in.Decision) + " on " + clip(v.SpecVersion) + " of " + d.FeatureID + " (" + clip(d.Title) + ")?\nReason: " + shorten(in.Reason, 500) + "\nAsked by " + c.client() + "."})
		if err != nil {
			return featureDoc{}, err
		}
	}
	if said.isPersons && said.version != shown {
		return featureDoc{}, fault.New(fault.StaleVerdict, d.FeatureID, "another version was shown than %s, which is up for review now", v.SpecVersion).
			With(fault.Action{Action: "call again", Why: "the person is asked about the version of now"})
	}
	if said.comment != "" {
		v.Reason = said.comment
	}
	out, err := c.asPerson(said.isPersons).ReviewSpec(ctx, in.FeatureID, v)
	return featureDoc{out, c.drives.doc(d.FeatureID)}, err
}
