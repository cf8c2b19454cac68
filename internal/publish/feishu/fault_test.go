package feishu_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/internal/fault"
	"sluice/internal/feishutest"
	"sluice/internal/golden"
	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
	"sluice/internal/publish"
	"sluice/internal/publish/feishu"
	"sluice/internal/publishtest"
)

func newDesk(t *testing.T, o feishu.Options) *publish.Desk {
	t.Helper()
	return publish.NewDesk(publishtest.Open(t, t.TempDir()), publish.Options{Retry: publishtest.Retry()}, feishu.New(o))
}

func TestEveryFaultOfThePlatform(t *testing.T) {
	for _, c := range []struct {
		name   string
		op     feishutest.Op
		faults []feishutest.Fault
		want   ledger.Status
		code   publish.CallCode // of the only error; none if the SDK or a renewed token got over it
	}{
		{"rate limit", feishutest.Create, []feishutest.Fault{feishutest.RateLimit}, ledger.Active, publish.RateLimited},
		{"429 with a time", feishutest.Create, []feishutest.Fault{feishutest.TooMany}, ledger.Active, publish.RateLimited},
		{"internal error", feishutest.Create, []feishutest.Fault{feishutest.Internal}, ledger.Active, publish.ServerError},
		{"a page of a proxy", feishutest.Search, []feishutest.Fault{feishutest.BadGateway}, ledger.Active, publish.ServerError},
		{"connection ends before", feishutest.Create, []feishutest.Fault{feishutest.Drop}, ledger.Active, publish.Connection},
		{"connection ends after", feishutest.Create, []feishutest.Fault{feishutest.Lost}, ledger.Active, publish.Connection},
		{"an answer cut short", feishutest.Create, []feishutest.Fault{feishutest.Nonsense}, ledger.Active, publish.ServerError},
		{"an answer without a record", feishutest.Create, []feishutest.Fault{feishutest.NoRecord}, ledger.Active, publish.ServerError},
		{"no right", feishutest.Create, []feishutest.Fault{feishutest.Forbidden}, ledger.Failed, publish.Forbidden},
		{"token expires", feishutest.Create, []feishutest.Fault{feishutest.TokenExpiry}, ledger.Active, ""},
		{"token expires twice", feishutest.Create, []feishutest.Fault{feishutest.TokenExpiry, feishutest.TokenExpiry}, ledger.Failed, publish.Auth},
		{"no token for a while", feishutest.Token, []feishutest.Fault{feishutest.Internal, feishutest.Drop}, ledger.Active, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t)
			s.Inject(c.op, c.faults...)
			d := newDesk(t, options(t, s.URL))
			rec, err := d.Publish(t.Context(), feishu.Name, published)
			if rec.Status != c.want || (err == nil) != (c.want == ledger.Active) {
				t.Fatalf("status %s, %v", rec.Status, err)
			}
			if c.code != "" && (len(rec.Errors) != 1 || rec.Errors[0].ErrorCode != string(c.code)) {
				t.Errorf("errors %+v", rec.Errors)
			}
			if err != nil {
				if _, err := d.Publish(t.Context(), feishu.Name, published); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(s.Records()); n != 1 {
				t.Errorf("%d records outside", n)
			}
		})
	}
}

func TestFieldsOfTheDefaultMapping(t *testing.T) {
	s := newServer(t)
	d := newDesk(t, options(t, s.URL))
	p, err := d.DryRun(t.Context(), feishu.Name, published)
	if err != nil {
		t.Fatal(err)
	}
	var pretty strings.Builder
	enc := json.NewEncoder(&pretty)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "dry_run.json", pretty.String())
	if _, err := d.Publish(t.Context(), feishu.Name, published); err != nil {
		t.Fatal(err)
	}
	stands, err := json.Marshal(s.Records()[0].Fields)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(p.Fields), string(stands)); diff != "" {
		t.Errorf("the dry run showed other fields than were sent:\n%s", diff)
	}
}

func TestRefusedBeforeAnyCall(t *testing.T) {
	noProject := published
	noProject.Spec.ProjectContextRef = &spec.ProjectContextRef{ProjectID: "P-1", ContextVersion: "C-1"}
	for name, c := range map[string]struct {
		change  func(*feishu.Options)
		request ledger.Request
		code    fault.Code
		message string
	}{
		"no project record": {func(*feishu.Options) {}, noProject, fault.MissingPrerequisite,
			"field 所属项目 of the target needs project_context_ref.project_record_id, which F-2026-001 does not have"},
		"no app":            {func(o *feishu.Options) { o.AppID = "" }, published, fault.BadConfig, "publish.feishu_app_id is empty; publishing to feishu needs it"},
		"no table":          {func(o *feishu.Options) { o.TableID = "" }, published, fault.BadConfig, "publish.feishu_table_id is empty; publishing to feishu needs it"},
		"no secret":         {func(o *feishu.Options) { o.AppSecret = nil }, published, fault.BadConfig, "publishing to feishu needs a secret; publish.feishu_secret_env names the variable that holds it"},
		"an open address":   {func(o *feishu.Options) { o.BaseURL = "http://example.org" }, published, fault.BadConfig, "publish.feishu_base_url is not encrypted; https is needed outside this machine"},
		"no address at all": {func(o *feishu.Options) { o.BaseURL = "feishu" }, published, fault.BadConfig, "publish.feishu_base_url is no address of the form https://host/path without a user"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			o := options(t, s.URL)
			c.change(&o)
			_, err := newDesk(t, o).Publish(t.Context(), feishu.Name, c.request)
			if f := fault.From(err); f == nil || f.Code != c.code || f.Message != c.message {
				t.Errorf("refusal %v", err)
			}
			if s.Calls("") != 0 {
				t.Errorf("%d calls", s.Calls(""))
			}
		})
	}
}

func TestWrongSecretIsSaidAndNotTriedForLong(t *testing.T) {
	s := newServer(t)
	o := options(t, s.URL)
	o.AppSecret = func() (string, error) { return "wr0ng-secret", nil }
	rec, err := newDesk(t, o).Publish(t.Context(), feishu.Name, published)
	if fault.CodeOf(err) != fault.PublishFailed || len(rec.Errors) != 1 || rec.Errors[0].ErrorCode != "auth_failed" || rec.Errors[0].RetryCount != 0 {
		t.Fatalf("%+v, %v", rec, err)
	}
	if s.Calls(feishutest.Token) != 1 {
		t.Errorf("%d tries of a secret that is wrong", s.Calls(feishutest.Token))
	}
	if body, _ := json.Marshal(rec); strings.Contains(string(body)+err.Error(), "wr0ng") {
		t.Error("the secret is in the record")
	}
	o.AppSecret = func() (string, error) { return "", errors.New("FEISHU_SECRET is not set") }
	rec, _ = newDesk(t, o).Publish(t.Context(), feishu.Name, published)
	if len(rec.Errors) != 1 || rec.Errors[0].Message != "FEISHU_SECRET is not set" {
		t.Errorf("%+v", rec.Errors)
	}
}

func TestOneTokenServesManyCalls(t *testing.T) {
	s := newServer(t)
	now := time.Date(2026, 1, 13, 10, 0, 0, 0, time.UTC)
	o := options(t, s.URL)
	o.Now = func() time.Time { return now }
	target := feishu.New(o)
	d := publish.NewDesk(publishtest.Open(t, t.TempDir()), publish.Options{Retry: publishtest.Retry()}, target)
	for i := range 3 {
		r := publishtest.Request("F-2026-001", fmt.Sprintf("S-20260113-%04d", i+1), "export with one click")
		if _, err := d.Publish(t.Context(), feishu.Name, r); err != nil {
			t.Fatal(err)
		}
	}
	if s.Calls(feishutest.Token) != 1 {
		t.Errorf("%d tokens for one table", s.Calls(feishutest.Token))
	}
	now = now.Add(7200*time.Second - 2*time.Minute) // it would end under way
	if _, err := d.Publish(t.Context(), feishu.Name, publishtest.Request("F-2026-001", "S-20260113-0009", "export with one click")); err != nil {
		t.Fatal(err)
	}
	if s.Calls(feishutest.Token) != 2 {
		t.Errorf("%d tokens after one ran out", s.Calls(feishutest.Token))
	}
}

func TestRecordsOfOthersStay(t *testing.T) {
	s := newServer(t)
	story := func(r ledger.Request) map[string]json.RawMessage {
		text, err := json.Marshal(publish.Story(r))
		if err != nil {
			t.Fatal(err)
		}
		return map[string]json.RawMessage{"用户故事": text}
	}
	elsewhere := published
	elsewhere.Origin = "another workspace"
	s.Add(story(elsewhere))
	for i := range 250 { // more than a page that mention the id, each in its own way
		s.Add(story(publishtest.Request(fmt.Sprintf("F-2026-001%d", i), "S-20260113-0001", "goal")))
	}
	d := newDesk(t, options(t, s.URL))
	rec, err := d.Publish(t.Context(), feishu.Name, published)
	if err != nil || len(s.Records()) != 252 {
		t.Fatalf("%d records, %v", len(s.Records()), err)
	}
	if got := s.Records()[251]; got.ID != rec.ExternalID {
		t.Errorf("published as %s, new is %s", rec.ExternalID, got.ID)
	}
	// A ledger that knows nothing finds the record again, behind all the others.
	again, err := newDesk(t, options(t, s.URL)).Publish(t.Context(), feishu.Name, publishtest.Request("F-2026-001", "S-20260113-0002", "another goal"))
	if err != nil || again.ExternalID != rec.ExternalID || len(s.Records()) != 252 {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestRecordThatSomebodyRemoved(t *testing.T) {
	s := newServer(t)
	d := newDesk(t, options(t, s.URL))
	first, err := d.Publish(t.Context(), feishu.Name, published)
	if err != nil {
		t.Fatal(err)
	}
	s.Remove(first.ExternalID)
	second, err := d.Publish(t.Context(), feishu.Name, publishtest.Request("F-2026-001", "S-20260113-0002", "another goal"))
	if err != nil || second.Operation != ledger.Created || len(s.Records()) != 1 {
		t.Fatalf("%+v, %v", second, err)
	}
	all, err := d.Records(t.Context(), "")
	if err != nil || all[0].Status != ledger.Superseded || all[1].Status != ledger.Active {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestSlowAnswersAreGivenUp(t *testing.T) {
	s := newServer(t)
	s.Slow(10 * time.Second)
	o := options(t, s.URL)
	o.Timeout = 20 * time.Millisecond
	rec, err := newDesk(t, o).Publish(t.Context(), feishu.Name, published)
	if fault.CodeOf(err) != fault.PublishFailed || rec.Errors[0].ErrorCode != "timeout" || rec.Errors[0].RetryCount != 3 {
		t.Errorf("%+v, %v", rec.Errors, err)
	}
}

func TestTableWithoutTheField(t *testing.T) {
	s := newServer(t)
	o := options(t, s.URL)
	o.Mapping = func() (publish.Mapping, error) {
		return publish.ParseMapping("m.yaml", []byte("mapping_version: \"1\"\nfields:\n  - {field: 没有, transform: direct, source: feature.title}\n"))
	}
	rec, err := newDesk(t, o).Publish(t.Context(), feishu.Name, published)
	if fault.CodeOf(err) != fault.PublishFailed || rec.Errors[0].ErrorCode != "rejected" || !strings.Contains(rec.Errors[0].Message, "FieldNameNotFound") {
		t.Errorf("%+v, %v", rec.Errors, err)
	}
}
