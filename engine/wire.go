package engine

// WireResult is a result as a client of the current protocol gets it, for a
// caller without one. An error is that of a content that has no JSON form.
func WireResult(r *Result, uri string) (any, error) {
	out := struct {
		Contents []wireContent `json:"contents"`
		cacheHint
	}{cacheHint: cacheHint{TTLMs: r.TTL.Milliseconds(), CacheScope: scopePrivate}}
	if r.Public {
		out.CacheScope = scopePublic
	}
	for _, c := range r.Contents {
		w, err := toWire(c, uri)
		if err != nil {
			return nil, err
		}
		out.Contents = append(out.Contents, w)
	}
	return out, nil
}
