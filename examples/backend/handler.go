package main

import (
	"encoding/json"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) { send(w, map[string]string{"status": "ok"}) })
	mux.HandleFunc("GET /v1/projects/{project}/issues", listIssues)
	mux.HandleFunc("GET /v1/projects/{project}/issues/{number}", getIssue)
	mux.HandleFunc("GET /v1/users/{login}", getUser)
	mux.HandleFunc("GET /v1/users/{login}/avatar", getAvatar)
	mux.HandleFunc("POST /v1/search", search)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "no such endpoint") })
	return authorized(mux)
}

// authorized lets only those in who know the token.
func authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			fail(w, http.StatusUnauthorized, "the token is wrong")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}

// issueList is a page of issues, in an envelope as most APIs have one.
type issueList struct {
	Total int     `json:"total"`
	Items []issue `json:"items"`
}

func list(keep func(issue) bool, limit int) issueList {
	out := issueList{Items: []issue{}}
	for _, i := range issues {
		if !keep(i) {
			continue
		}
		out.Total++
		if len(out.Items) < limit {
			out.Items = append(out.Items, i)
		}
	}
	return out
}

func listIssues(w http.ResponseWriter, r *http.Request) {
	state, label := r.FormValue("state"), r.FormValue("label")
	send(w, list(func(i issue) bool {
		return i.Project == r.PathValue("project") && (state == "" || i.State == state) &&
			(label == "" || slices.Contains(i.Labels, label))
	}, 100))
}

func getIssue(w http.ResponseWriter, r *http.Request) {
	number, _ := strconv.Atoi(r.PathValue("number"))
	for _, i := range issues {
		if i.Project == r.PathValue("project") && i.Number == number {
			w.Header().Set("Cache-Control", "max-age=30")
			w.Header().Set("ETag", `"`+i.UpdatedAt+`"`)
			send(w, i)
			return
		}
	}
	fail(w, http.StatusNotFound, "no such issue")
}

func getUser(w http.ResponseWriter, r *http.Request) {
	for _, u := range users {
		if u.Login == r.PathValue("login") {
			send(w, u)
			return
		}
	}
	fail(w, http.StatusNotFound, "no such user")
}

// getAvatar draws a pattern that belongs to the name.
func getAvatar(w http.ResponseWriter, r *http.Request) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.PathValue("login")))
	bits := h.Sum32()
	img := image.NewPaletted(image.Rect(0, 0, 40, 40), color.Palette{color.White, color.RGBA{uint8(bits >> 16), uint8(bits >> 8), uint8(bits), 255}})
	for y := range 40 {
		for x := range 40 {
			img.SetColorIndex(x, y, uint8(bits>>(min(x, 39-x)/8+y/8*3)&1))
		}
	}
	w.Header().Set("Content-Type", "image/png")
	_ = png.Encode(w, img)
}

func search(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Text  string `json:"text"`
		Limit int    `json:"limit"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&q); err != nil || q.Text == "" {
		fail(w, http.StatusBadRequest, "the body is not a search")
		return
	}
	text := strings.ToLower(q.Text)
	send(w, list(func(i issue) bool {
		return strings.Contains(strings.ToLower(i.Title+"\n"+i.Body), text)
	}, max(1, min(q.Limit, 50))))
}
