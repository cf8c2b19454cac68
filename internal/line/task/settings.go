package task

// Settings are what a plan is held to. A run keeps those it was imported with. Zero is a value.
type Settings struct {
	MaxDecompositionDepth      int     `json:"max_decomposition_depth"`
	OneShotThresholdPersonDays float64 `json:"one_shot_threshold_person_days"`
	MaxLeaves                  int     `json:"max_leaves"`         // limits splitting, not import
	MaxPlanAttempts            int     `json:"max_plan_attempts"`  // rejected plan reviews in a row
	MaxTotalAttempts           int     `json:"max_total_attempts"` // attempts at planning altogether
	MaxAttempts                int     `json:"max_attempts"`
	ReviewPassScore            float64 `json:"review_pass_score"`
	PlanReviewPassScore        float64 `json:"plan_review_pass_score"`
	ExportIncludeCandidates    bool    `json:"export_include_candidates"`
	Reviewer                   string  `json:"reviewer"`
}

// DefaultSettings are those of someone who set nothing.
func DefaultSettings() Settings {
	return Settings{MaxDecompositionDepth: 5, OneShotThresholdPersonDays: 10, MaxLeaves: 500, MaxPlanAttempts: 3,
		MaxTotalAttempts: 50, MaxAttempts: 3, ReviewPassScore: 90, PlanReviewPassScore: 90, Reviewer: "xiaojing"}
}
