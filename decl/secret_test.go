package decl

import (
	"strings"
	"testing"
)

func TestSecretsHide(t *testing.T) {
	s := &Secrets{}
	if got := s.Hide("nothing to hide"); got != "nothing to hide" {
		t.Errorf("got %q", got)
	}
	s.Add("p@ss/w#rd")
	s.Add("postgres://app:in%20url@db/x")
	s.Add("mysql://app:raw/pass#word@db/x")
	s.Add("line one\nline two\n")
	s.Add("ab") // too short to be searched for
	for _, text := range []string{
		"dial p@ss/w#rd", "p%40ss%2Fw%23rd", "password in url wrong", "got in%20url", "url postgres://app:in%20url@db/x",
		"raw/pass#word", "line one", "x line two y",
	} {
		got := s.Hide(text)
		if !strings.Contains(got, hidden) {
			t.Errorf("%q stays %q", text, got)
		}
	}
	if got := s.Hide("able"); got != "able" {
		t.Errorf("got %q", got)
	}
	var none *Secrets
	if none.Hide("x") != "x" {
		t.Error("no secrets change a text")
	}
}
