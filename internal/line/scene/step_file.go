package scene

import (
	"fmt"
	"path"
	"strings"

	"sluice/internal/digest"
	"sluice/internal/kernel"
	"sluice/internal/line"
)

// blueprintPatterns are the places where a blueprint is looked for. The first ones of an act's chapter is right; the
// others are where people put it by mistake.
func blueprintPatterns(sceneID string) []string {
	file := "scene-" + literal(sceneID) + "-blueprint.md"
	return []string{
		"acts/*/chapters/*/scenes/" + file,
		"acts/*/chapters/*/" + file,
		"acts/*/scenes/" + file,
	}
}

// isBlueprintPlace tells whether a blueprint stands where it belongs.
func isBlueprintPlace(p Params, at string) bool {
	act := "act-*"
	if p.Act > 0 {
		act = fmt.Sprintf("act-%d", p.Act)
	}
	ok, err := path.Match("acts/"+act+"/chapters/chapter-"+chapterOf(p.SceneID)+"/scenes/scene-"+p.SceneID+"-blueprint.md", at)
	return ok && err == nil
}

// fileCheck finds the blueprint: exactly one, at its place.
func fileCheck(in line.In) (line.Move, error) {
	g, err := readGiven(in)
	if err != nil {
		return line.Move{}, err
	}
	patterns := blueprintPatterns(g.p.SceneID)
	if reads := g.unread(patterns); len(reads) > 0 {
		return line.Move{Reads: reads}, nil
	}
	var right, wrong []line.Found
	for _, pattern := range patterns {
		files, _ := g.asked(pattern)
		for _, f := range files {
			if f.Path = g.p.story(f.Path); isBlueprintPlace(g.p, f.Path) {
				right = append(right, f)
			} else {
				wrong = append(wrong, f)
			}
		}
	}
	if finding := judgePlaces(g.p, right, wrong); finding != nil {
		return failed(g.p, "file_check_errors", "file-check-errors.json", []kernel.Finding{*finding}, placesOf(right, wrong))
	}
	found := right[0]
	out, err := finish(ruling{Pass: true, Findings: []kernel.Finding{}},
		[]Artifact{{Key: "blueprint_path", Path: found.Path, SHA256: digest.Of(found.Body).Hex()}})
	return line.Move{Done: out}, err
}

func placesOf(groups ...[]line.Found) []string {
	out := []string{}
	for _, group := range groups {
		for _, f := range group {
			out = append(out, f.Path)
		}
	}
	return out
}

// judgePlaces says what is wrong with where the blueprint was found, or nothing.
func judgePlaces(p Params, right, wrong []line.Found) *kernel.Finding {
	act := "act-{N}"
	if p.Act > 0 {
		act = fmt.Sprintf("act-%d", p.Act)
	}
	place := fmt.Sprintf("acts/%s/chapters/chapter-%s/scenes/scene-%s-blueprint.md", act, chapterOf(p.SceneID), p.SceneID)
	everywhere := strings.Join(placesOf(right, wrong), ", ")
	switch {
	case len(right)+len(wrong) == 0:
		return &kernel.Finding{Code: "blueprint_missing", Severity: severityError, Path: place,
			Message: fmt.Sprintf("there is no blueprint of scene %s; it was looked for in every act and chapter", p.SceneID), Fix: "write it to " + place}
	case len(right) == 0:
		return &kernel.Finding{Code: "blueprint_misplaced", Severity: severityError, Path: place,
			Message: fmt.Sprintf("the blueprint of scene %s is not at its place but at %s", p.SceneID, everywhere), Fix: "move it to " + place}
	case len(right)+len(wrong) > 1:
		return &kernel.Finding{Code: "blueprint_ambiguous", Severity: severityError, Path: place,
			Message: fmt.Sprintf("there is more than one blueprint of scene %s: %s", p.SceneID, everywhere), Fix: "keep one of them at " + place}
	case strings.TrimSpace(string(right[0].Body)) == "":
		return &kernel.Finding{Code: "blueprint_empty", Severity: severityError, Path: right[0].Path,
			Message: fmt.Sprintf("the blueprint %s is empty", right[0].Path), Fix: "write it"}
	}
	return nil
}

// failed is the content of a step that found something against its subject: a file that says what.
func failed(p Params, key, file string, findings []kernel.Finding, places []string) (line.Move, error) {
	type problem struct {
		Type     string `json:"type"`
		Severity string `json:"severity"`
		Message  string `json:"message"`
		Fix      string `json:"fix"`
	}
	doc := struct {
		SceneID string    `json:"scene_id"`
		Step    string    `json:"step"`
		Places  []string  `json:"places,omitempty"`
		Errors  []problem `json:"errors"`
	}{SceneID: p.SceneID, Step: p.Name, Places: places, Errors: []problem{}}
	for _, f := range findings {
		doc.Errors = append(doc.Errors, problem{f.Code, f.Severity, f.Message, f.Fix})
	}
	body, err := pretty(doc)
	if err != nil {
		return line.Move{}, err
	}
	out, err := finish(ruling{Findings: findings}, nil, output{key, p.work(file), body})
	return line.Move{Done: out}, err
}

// validateBlueprint reads the blueprint and lists what it demands, or what is wrong with it.
func validateBlueprint(in line.In) (line.Move, error) {
	g, err := readGiven(in)
	if err != nil {
		return line.Move{}, err
	}
	pattern := g.blueprintPattern()
	files, done := g.asked(pattern)
	switch {
	case !done:
		return line.Move{Reads: []string{pattern}}, nil
	case len(files) != 1:
		finding := judgePlaces(g.p, files, nil)
		return failed(g.p, "validation_errors", "validation-errors.json", []kernel.Finding{*finding}, placesOf(files))
	}
	c, problems := ParseBlueprint(files[0].Body)
	if !usable(problems) {
		var findings []kernel.Finding
		for _, p := range problems {
			findings = append(findings, kernel.Finding{Code: p.Type, Severity: p.Severity, Message: p.Message, Fix: p.Fix, Path: g.p.story(files[0].Path)})
		}
		return failed(g.p, "validation_errors", "validation-errors.json", findings, nil)
	}
	c.SceneID = g.p.SceneID
	c.Blueprint = Artifact{Key: "blueprint_path", Path: g.p.story(files[0].Path), SHA256: digest.Of(files[0].Body).Hex()}
	body, err := pretty(c)
	if err != nil {
		return line.Move{}, err
	}
	out, err := finish(ruling{Pass: true, Findings: []kernel.Finding{}}, nil, output{"constraints_list", g.p.work("constraints-list.json"), body})
	return line.Move{Done: out}, err
}
