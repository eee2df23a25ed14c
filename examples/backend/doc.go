// Command backend is a small issue tracker with a JSON API, for
// examples/http.hcl to read from. It keeps everything in memory.
//
//	go run ./examples/backend
//
// starts it on 127.0.0.1:9090. It wants the token "demo-token" and answers
//
//	GET  /v1/status
//	GET  /v1/projects/{project}/issues?state=open&label=bug
//	GET  /v1/projects/{project}/issues/{number}
//	GET  /v1/users/{login}
//	GET  /v1/users/{login}/avatar
//	POST /v1/search   {"text": "...", "limit": 10}
package main
