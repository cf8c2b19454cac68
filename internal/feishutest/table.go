package feishutest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func (s *Server) token(r *http.Request) answer {
	var in struct {
		AppID     string `json:"app_id"`
		AppSecret string `json:"app_secret"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return refuse(10003, "invalid param")
	}
	if in.AppID != AppID || in.AppSecret != AppSecret {
		return refuse(10014, "app secret invalid")
	}
	s.issued++
	t := fmt.Sprintf("t-%d", s.issued)
	s.tokens[t] = true
	return answer{Msg: "ok", TenantAccessToken: t, Expire: s.life}
}

type rowIn struct {
	Fields map[string]json.RawMessage `json:"fields"`
}

// rowOut is a record as answers show it.
type rowOut struct {
	RecordID string         `json:"record_id"`
	Fields   map[string]any `json:"fields"`
}

type recordOut struct {
	Record rowOut `json:"record"`
}

func (s *Server) create(r *http.Request) answer {
	in, a := s.row(r)
	if a.Code != 0 {
		return a
	}
	token := r.URL.Query().Get("client_token")
	if token != "" && len(strings.Split(token, "-")) != 5 {
		return refuse(1254000, "client_token is no uuid")
	}
	if id, again := s.byToken[token]; token != "" && again {
		return answer{Msg: "success", Data: recordOut{rowOut{RecordID: id, Fields: map[string]any{}}}}
	}
	id := s.add(in.Fields)
	if token != "" {
		s.byToken[token] = id
	}
	return answer{Msg: "success", Data: recordOut{s.show(Record{id, in.Fields}, nil)}}
}

func (s *Server) update(r *http.Request) answer {
	in, a := s.row(r)
	if a.Code != 0 {
		return a
	}
	i := slices.IndexFunc(s.records, func(row Record) bool { return row.ID == r.PathValue("record") })
	if i < 0 {
		return refuse(1254043, "RecordIdNotFound")
	}
	for name, v := range in.Fields {
		s.records[i].Fields[name] = v
	}
	return answer{Msg: "success", Data: recordOut{s.show(s.records[i], nil)}}
}

// row reads fields and refuses those that the table has not, or has in another form.
func (s *Server) row(r *http.Request) (rowIn, answer) {
	var in rowIn
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Fields == nil {
		return in, refuse(1254001, "WrongRequestBody")
	}
	for name, v := range in.Fields {
		kind, ok := s.columns[name]
		if !ok {
			return in, refuse(1254045, "FieldNameNotFound")
		}
		var text string
		var users []struct {
			ID string `json:"id"`
		}
		var links []string
		switch kind {
		case User:
			if json.Unmarshal(v, &users) != nil || len(users) == 0 || users[0].ID == "" {
				return in, refuse(1254066, "UserFieldConvFail")
			}
		case Link:
			if json.Unmarshal(v, &links) != nil || len(links) == 0 {
				return in, refuse(1254067, "LinkFieldConvFail")
			}
		default:
			if json.Unmarshal(v, &text) != nil {
				return in, refuse(1254060, "TextFieldConvFail")
			}
		}
	}
	return in, answer{}
}

type searchIn struct {
	FieldNames []string `json:"field_names"`
	Filter     struct {
		Conjunction string `json:"conjunction"`
		Conditions  []struct {
			FieldName string   `json:"field_name"`
			Operator  string   `json:"operator"`
			Value     []string `json:"value"`
		} `json:"conditions"`
	} `json:"filter"`
}

type searchOut struct {
	Items     []rowOut `json:"items"`
	HasMore   bool     `json:"has_more"`
	PageToken string   `json:"page_token,omitempty"`
	Total     int      `json:"total"`
}

func (s *Server) search(r *http.Request) answer {
	var in searchIn
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return refuse(1254001, "WrongRequestBody")
	}
	var hits []Record
	for _, row := range s.records {
		isHit := true
		for _, c := range in.Filter.Conditions {
			if s.columns[c.FieldName] == "" {
				return refuse(1254045, "FieldNameNotFound")
			}
			if len(c.Value) != 1 || c.Operator != "contains" && c.Operator != "is" {
				return refuse(1254018, "InvalidFilter")
			}
			text := ""
			_ = json.Unmarshal(row.Fields[c.FieldName], &text) // a row without the field has no text
			isHit = isHit && (c.Operator == "contains" && strings.Contains(text, c.Value[0]) || text == c.Value[0])
		}
		if isHit {
			hits = append(hits, row)
		}
	}
	size, err := strconv.Atoi(r.URL.Query().Get("page_size"))
	if err != nil || size < 1 || size > 500 {
		size = 20
	}
	from, err := strconv.Atoi(r.URL.Query().Get("page_token"))
	if err != nil {
		from = 0
	}
	from = min(from, len(hits))
	to := min(from+size, len(hits))
	out := searchOut{Items: []rowOut{}, HasMore: to < len(hits), Total: len(hits)}
	if out.HasMore {
		out.PageToken = strconv.Itoa(to)
	}
	for _, row := range hits[from:to] {
		out.Items = append(out.Items, s.show(row, in.FieldNames))
	}
	return answer{Msg: "success", Data: out}
}

// segment is a piece of a text, as the platform gives texts back.
type segment struct {
	Text string `json:"text"`
	Type string `json:"type"`
}

func (s *Server) show(r Record, names []string) rowOut {
	out := rowOut{RecordID: r.ID, Fields: map[string]any{}}
	for name, v := range r.Fields {
		if names != nil && !slices.Contains(names, name) {
			continue
		}
		var text string
		if s.columns[name] != Text || json.Unmarshal(v, &text) != nil {
			out.Fields[name] = v
			continue
		}
		// A long text comes back in pieces.
		half := len(text) / 2
		for half > 0 && half < len(text) && text[half]&0xc0 == 0x80 {
			half--
		}
		out.Fields[name] = []segment{{text[:half], "text"}, {text[half:], "text"}}
	}
	return out
}
