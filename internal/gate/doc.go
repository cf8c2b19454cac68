// Package gate owns reusable pure rules: functions that judge content or results and give a kernel.RuleResult. The same
// content and parameters always give the same result, so that a recorded result can be computed again under the same
// revision of its rule. What a rule cannot read counts against the content: a gate never opens by accident.
//
// It must not know any line: the paths, thresholds and severities of a line arrive as parameters.
package gate
