package config

import (
	"net/url"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// Config is every setting. A section is a plain struct in it; the loader, Show, DefaultFile and the environment find
// its keys by their tags:
//
//	yaml   the key
//	doc    what it does, for the file that init writes
//	trust  "user" keeps it out of workspace files; "tighten" lets them turn it on or lower it, never the other way
//	min    the smallest number or duration that makes sense
//	oneof  the words that are allowed, divided by spaces
//
// Fields are strings, booleans, whole numbers, floats, durations, lists of strings, pointers to one of these where absent
// differs from zero, or one of the tables (see table).
type Config struct {
	Model   Model   `yaml:"model" doc:"the model that does the writing and judging"`
	Budget  Budget  `yaml:"budget" doc:"what may be spent; a limit that is reached asks you"`
	Engine  Engine  `yaml:"engine" doc:"how runs are driven"`
	Person  Person  `yaml:"person" doc:"who approves here"`
	MCP     MCP     `yaml:"mcp" doc:"what MCP clients may do"`
	Task    Task    `yaml:"task" doc:"what plans of tasks are held to; a plan keeps what it was imported with"`
	Novel   Novel   `yaml:"novel" doc:"what books begin with; the settings of a book win"`
	Publish Publish `yaml:"publish" doc:"where specs are published to"`
	Log     Log     `yaml:"log" doc:"what is recorded beside the journal"`
}

// Model says which model is asked, and how. Where its key is kept stands here, the key never.
type Model struct {
	Provider    string        `yaml:"provider" oneof:"rehearsal openai anthropic gemini ollama" doc:"rehearsal works offline and makes placeholder text; openai is every server that speaks that protocol"`
	Model       string        `yaml:"model" doc:"the model's name at its provider"`
	BaseURL     string        `yaml:"base_url" trust:"user" doc:"where the server is; empty is the provider's own"`
	KeyEnv      string        `yaml:"key_env" trust:"user" doc:"the variable that holds the key; empty is none"`
	KeyFile     string        `yaml:"key_file" trust:"user" doc:"a file of yours (mode 0600) that holds the key; wins over key_env"`
	Temperature *float64      `yaml:"temperature" min:"0" doc:"absent leaves it to the provider"`
	MaxTokens   int           `yaml:"max_tokens" min:"0" doc:"longest reply; 0 leaves it to the provider"`
	Timeout     time.Duration `yaml:"timeout" min:"0s" doc:"longest wait for one reply; 0s waits for ever"`
	Concurrency int           `yaml:"concurrency" min:"0" doc:"calls at the same time; 0 sets no limit"`
	PerMinute   float64       `yaml:"requests_per_minute" min:"0" doc:"calls begun per minute; 0 sets no limit"`
	MaxRetries  int           `yaml:"max_retries" min:"0" doc:"tries after a call that failed and may succeed later"`
	Window      int           `yaml:"context_tokens" min:"0" doc:"ollama: tokens of prompt and reply together; 0 makes room for what is asked"`
	Agents      Agents        `yaml:"agents" doc:"a tier or a model for some agents: {scene-text: strong, \"chapter-*\": small-1}"`
	Tiers       Tiers         `yaml:"tiers" doc:"models by name, the next one for when one is overloaded: {strong: [big-1, {provider: ollama, model: big-2}]}"`
	Providers   Providers     `yaml:"providers" trust:"user" doc:"more servers for tiers, each with its own address and key"`
	Prices      Prices        `yaml:"prices" trust:"user" doc:"what models cost whose names begin so, in dollars per million tokens: {big-1: {input: 2.5, output: 10, cached: 1.25}}"`
}

// Engine says how runs are driven.
type Engine struct {
	Workers int `yaml:"workers" min:"1" doc:"steps of one run that are worked on at the same time"`
}

// Person is who uses this program. A workspace cannot say it: approvals are recorded under this name.
type Person struct {
	Name string `yaml:"name" trust:"user" doc:"the name that approvals are recorded under"`
}

// MCP says what clients of the MCP door may do.
type MCP struct {
	RequirePerson bool `yaml:"require_person" trust:"tighten" doc:"refuse approvals that no person confirmed at the client"`
}

// Task says what plans of tasks are held to.
type Task struct {
	MaxDecompositionDepth      int     `yaml:"max_decomposition_depth" min:"0" doc:"how deep splitting may go below the root"`
	OneShotThresholdPersonDays float64 `yaml:"one_shot_threshold_person_days" min:"0" doc:"a leaf with more person-days must be split"`
	MaxLeaves                  int     `yaml:"max_leaves" min:"0" doc:"how many leaves splitting may lead to"`
	MaxPlanAttempts            int     `yaml:"max_plan_attempts" min:"0" doc:"plans rejected in a row before a person is asked"`
	MaxTotalAttempts           int     `yaml:"max_total_attempts" min:"0" doc:"attempts at planning altogether before a person is asked"`
	MaxAttempts                int     `yaml:"max_attempts" min:"0" doc:"attempts at a task before a person is asked"`
	ReviewPassScore            float64 `yaml:"review_pass_score" min:"0" doc:"the score a deliverable needs to pass its review"`
	PlanReviewPassScore        float64 `yaml:"plan_review_pass_score" min:"0" doc:"the score a plan needs to pass its review"`
	ExportIncludeCandidates    bool    `yaml:"export_include_candidates" doc:"export versions that are not approved too, each marked"`
	Reviewer                   string  `yaml:"reviewer" doc:"the name under which reviews of the model are recorded"`

	SmokeTests SmokeTests `yaml:"smoke_tests" trust:"user" doc:"programs that run_smoke_test criteria may run, by format or pattern of file names"`
}

// Novel says what books begin with.
type Novel struct {
	Language              string `yaml:"language" doc:"BCP 47 tag; empty is the language of the premise"`
	Author                string `yaml:"author" doc:"author of exports"`
	TargetChapters        int    `yaml:"target_chapters" min:"1" doc:"how many chapters a book has"`
	WordsPerScene         int    `yaml:"words_per_scene" min:"1" doc:"about how long a scene is"`
	RevisionPolicy        string `yaml:"revision_policy" oneof:"none auto_apply manual_confirm" doc:"what becomes of a chapter with issues that can be fixed: none, auto_apply or manual_confirm"`
	LogicReviewPolicy     string `yaml:"logic_review_policy" oneof:"off blocking" doc:"off, or blocking: a chapter that fails its review waits for a person"`
	LogicReviewMinScore   int    `yaml:"logic_review_min_score" min:"0" doc:"the score of 100 that a review needs to pass"`
	MemoryContextChapters int    `yaml:"memory_context_chapters" min:"0" doc:"how many of the last chapters are told in full"`
	ContextTokens         int    `yaml:"context_tokens" min:"1000" doc:"how much of the book a prompt may tell, in tokens"`
}

// Publish says where specs are published to. Addresses and secrets are the user's own: a workspace that came from somebody
// else must not be able to send anything anywhere.
type Publish struct {
	FileDir           string        `yaml:"file_dir" doc:"directory of the workspace for published documents"`
	Mapping           string        `yaml:"mapping" doc:"mapping file of the Feishu table, in the workspace; empty is the built-in one"`
	WebhookURL        string        `yaml:"webhook_url" trust:"user" doc:"address that versions are posted to; empty is no webhook"`
	WebhookSecretEnv  string        `yaml:"webhook_secret_env" trust:"user" doc:"the variable that holds the secret posts are signed with"`
	WebhookSecretFile string        `yaml:"webhook_secret_file" trust:"user" doc:"a file of yours (mode 0600) that holds it; wins over the variable"`
	FeishuBaseURL     string        `yaml:"feishu_base_url" trust:"user" doc:"where Feishu is; empty is its own address"`
	FeishuAppID       string        `yaml:"feishu_app_id" trust:"user" doc:"the app that publishes; empty is no Feishu"`
	FeishuSecretEnv   string        `yaml:"feishu_secret_env" trust:"user" doc:"the variable that holds the app's secret"`
	FeishuSecretFile  string        `yaml:"feishu_secret_file" trust:"user" doc:"a file of yours (mode 0600) that holds it; wins over the variable"`
	FeishuAppToken    string        `yaml:"feishu_app_token" trust:"user" doc:"the base (bitable) of the table"`
	FeishuTableID     string        `yaml:"feishu_table_id" trust:"user" doc:"the table"`
	Timeout           time.Duration `yaml:"timeout" min:"0s" doc:"longest wait for one answer of a target; 0s is 30s"`
}

// Log says where the program's own log goes.
type Log struct {
	Dir string `yaml:"dir" trust:"user" doc:"directory of the daily log; empty is .sluice/log of the workspace"`
}

// Default is the configuration of someone who set nothing: offline, under the name of the operating system's user.
func Default() Config {
	return Config{
		Model:  Model{Provider: "rehearsal", Timeout: 5 * time.Minute, Concurrency: 8, MaxRetries: 3},
		Budget: Budget{WarnAt: 0.8},
		// Four workers keep a model with the default concurrency busy.
		Engine: Engine{Workers: 4},
		Task: Task{MaxDecompositionDepth: 5, OneShotThresholdPersonDays: 10, MaxLeaves: 500, MaxPlanAttempts: 3,
			MaxTotalAttempts: 50, MaxAttempts: 3, ReviewPassScore: 90, PlanReviewPassScore: 90, Reviewer: "xiaojing"},
		Person: Person{Name: osUser()},
		Novel: Novel{TargetChapters: 20, WordsPerScene: 800, RevisionPolicy: "none", LogicReviewPolicy: "off", LogicReviewMinScore: 75,
			MemoryContextChapters: 3, ContextTokens: 8000},
		Publish: Publish{FileDir: "published", Timeout: 30 * time.Second, WebhookSecretEnv: "SLUICE_WEBHOOK_SECRET", FeishuSecretEnv: "FEISHU_APP_SECRET"},
	}
}

func osUser() string {
	u, err := user.Current()
	if err != nil {
		return "unknown"
	}
	name := u.Username
	if i := strings.LastIndexByte(name, '\\'); i >= 0 { // Windows puts the domain before it
		name = name[i+1:]
	}
	return name
}

// UserFile is where the user's own settings are, or nothing if there is no home directory. A relative XDG_CONFIG_HOME
// is ignored, as its specification says.
func UserFile(getenv func(string) string) string {
	dir := ""
	switch runtime.GOOS {
	case "windows":
		dir = getenv("AppData")
	case "darwin":
		if home := getenv("HOME"); home != "" {
			dir = filepath.Join(home, "Library", "Application Support")
		}
	default:
		if dir = getenv("XDG_CONFIG_HOME"); !filepath.IsAbs(dir) {
			dir = ""
			if home := getenv("HOME"); home != "" {
				dir = filepath.Join(home, ".config")
			}
		}
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "sluice", "config.yaml")
}

// usualKeys are the variables in which the providers' own tools look for the key.
var usualKeys = map[string]string{"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}

// variable is a name that can hardly be a key by mistake: keys have small letters or dashes.
var variable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,63}$`)

// refuse says what is wrong with the value of one key beyond its type. It must not repeat a value that may be a key.
func refuse(key string, c *Config) string {
	switch key {
	case "model.key_env":
		if c.Model.KeyEnv != "" && !variable.MatchString(c.Model.KeyEnv) {
			return "takes the name of a variable in capitals, digits and _, never the key itself"
		}
	case "publish.webhook_secret_env":
		return refuseVariable(c.Publish.WebhookSecretEnv)
	case "publish.feishu_secret_env":
		return refuseVariable(c.Publish.FeishuSecretEnv)
	case "publish.webhook_url":
		return refuseTargetURL(c.Publish.WebhookURL)
	case "publish.feishu_base_url":
		return refuseTargetURL(c.Publish.FeishuBaseURL)
	case "model.base_url":
		return refuseURL(c.Model.BaseURL)
	case "person.name":
		if strings.TrimSpace(c.Person.Name) == "" {
			return "is empty; approvals need a name"
		}
	}
	return ""
}

func refuseVariable(name string) string {
	if name != "" && !variable.MatchString(name) {
		return "takes the name of a variable in capitals, digits and _, never the secret itself"
	}
	return ""
}

func refuseTargetURL(text string) string {
	why := refuseURL(text)
	if strings.HasPrefix(why, "holds") {
		return "holds a user or a query; the secret comes from a variable or a file of yours"
	}
	return why
}

func refuseURL(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "is no http or https address"
	case u.User != nil || u.RawQuery != "":
		return "holds a user or a query; keys come from key_env or key_file"
	}
	return ""
}
