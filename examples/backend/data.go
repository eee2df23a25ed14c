package main

type issue struct {
	ID        int64    `json:"id"`
	Project   string   `json:"project"`
	Number    int      `json:"number"`
	Title     string   `json:"title"`
	State     string   `json:"state"`
	Labels    []string `json:"labels"`
	Author    string   `json:"author"`
	Body      string   `json:"body"`
	UpdatedAt string   `json:"updated_at"`
}

type user struct {
	Login string `json:"login"`
	Name  string `json:"name"`
	Team  string `json:"team"`
}

var users = []user{
	{"ada", "Ada Lovelace", "engine"},
	{"grace", "Grace Hopper", "compiler"},
	{"edsger", "Edsger Dijkstra", "engine"},
}

var issues = []issue{
	{420465847726953101, "compass", 1, "The needle points south", "closed", []string{"bug"}, "ada",
		"After the update of the firmware the needle points south. North is expected.", "2026-01-12T09:30:00Z"},
	{420465847726953102, "compass", 2, "Show the declination", "open", []string{"feature"}, "grace",
		"Magnetic and true north differ; show by how much.", "2026-02-03T14:05:00Z"},
	{420465847726953103, "compass", 3, "The needle trembles near iron", "open", []string{"bug", "hardware"}, "edsger",
		"Near the engine the needle does not come to rest.", "2026-02-20T08:00:00Z"},
	{420465847726953104, "sextant", 1, "The mirror fogs up", "open", []string{"hardware"}, "ada",
		"In the morning the horizon mirror fogs up within a minute.", "2026-03-01T06:45:00Z"},
	{420465847726953105, "sextant", 2, "Add a table for the sun", "closed", []string{"feature"}, "grace",
		"A table with the sun's height for each noon would save an almanac.", "2026-03-09T16:20:00Z"},
}
