package scene

import (
	"encoding/json"
	"slices"

	"sluice/internal/line"
)

func readOffers(content string) ([]offer, error) {
	var o offers
	if err := json.Unmarshal([]byte(content), &o); err != nil {
		return nil, line.Unusable{Reason: "the variants are no JSON of their schema: " + err.Error()}
	}
	if len(o.Variants) == 0 {
		return nil, line.Unusable{Reason: "no variant was offered"}
	}
	for i, label := range variantLabels(len(o.Variants)) {
		o.Variants[i].Label = label
	}
	return o.Variants, nil
}

// deliverOffers hands over variants with labels of ours, and what later agents said about each.
func (g given) deliverOffers(tasks []task) (line.Move, error) {
	all, err := readOffers(g.in.Replies[0].Content)
	if err != nil {
		return line.Move{}, err
	}
	for i, t := range tasks {
		var c comments
		if t.want != wantComments {
			continue
		}
		if err := json.Unmarshal([]byte(g.in.Replies[i].Content), &c); err != nil {
			return line.Move{}, line.Unusable{Reason: "the reply of " + t.agent + " does not fit its schema: " + err.Error()}
		}
		comment(all, c.Comments)
	}
	lang := g.language(g.story(g.around()), g.approved())
	if lang == "en" {
		lang = languageOf(g.in.Replies[0].Content) // nothing was given: the model's own language
	}
	d := &document{lang: lang}
	d.heading(1, g.p.Name)
	d.text(d.say("choose"))
	writeOffers(d, all)
	var files []output
	for _, key := range g.p.Outputs {
		files = append(files, output{key, g.p.work(fileOf(key)), d.bytes()})
	}
	out, err := finish(offers{all}, nil, files...)
	if err != nil {
		return line.Move{}, err
	}
	out.Variants = variantLabels(len(all))
	return line.Move{Done: out}, nil
}

// comment adds to each variant what was said about it. Labels that do not name each variant once are not trusted: then
// the order decides.
func comment(all []offer, said []remark) {
	seen := map[string]int{}
	for i, label := range variantLabels(len(all)) {
		seen[label] = i
	}
	byLabel := map[string]bool{}
	for _, r := range said {
		byLabel[r.Variant] = true
	}
	for i, r := range said {
		at, known := seen[r.Variant]
		if !known || len(byLabel) != len(said) {
			at = i
		}
		if at < len(all) {
			all[at].Consequences = union(all[at].Consequences, append(slices.Clone(r.Consequences), r.Advice))
		}
	}
}

func writeOffers(d *document, all []offer) {
	for _, o := range all {
		d.heading(2, d.say("variant")+" "+o.Label+": "+o.Title)
		d.text(o.Summary)
		d.section(3, d.say("events"), o.Events)
		d.section(3, d.say("gains"), o.Gains)
		d.section(3, d.say("costs"), o.Costs)
		d.section(3, d.say("consequences"), o.Consequences)
	}
}

// chosen is the text of the variant that a person chose, and its label. Where the variants are a client's own, the text
// is not known apart and their file is given whole.
func (g given) chosen() (text, label string) {
	label, stage := g.choice()
	if label == "" {
		return "", ""
	}
	for _, s := range g.docs {
		var o offers
		if s.stage.Number != stage.Number || json.Unmarshal(s.product.Result, &o) != nil {
			continue
		}
		for _, v := range o.Variants {
			if v.Label == label {
				d := &document{lang: "en"}
				writeOffers(d, []offer{v})
				return string(d.bytes()), label
			}
		}
	}
	return "", label
}
