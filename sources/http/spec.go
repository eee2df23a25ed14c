package http

import "github.com/mcpdecl/mcpdecl/decl"

var connectionSpec = &decl.BlockSpec{
	Type: "http",
	Attrs: []decl.AttrSpec{
		{Name: "base_url", Type: decl.String, Secret: decl.SecretInURL, Required: true, Doc: "Scheme, host and base path of every request."},
		{Name: "headers", Type: decl.StringMap, Secret: decl.SecretValue, Doc: "Headers of every request."},
		{Name: "bearer", Type: decl.String, Secret: decl.SecretValue, Doc: "A token for the Authorization header."},
		{Name: "forward_headers", Type: decl.StringList, Doc: "Headers of the caller that are passed on, over HTTP only."},
		{Name: "timeout", Type: decl.Duration, Default: "10s", Min: "1ms", Doc: "The time for one read, over everything."},
		{Name: "max_bytes", Type: decl.Size, Default: "10MiB", Min: "1B", Doc: "The largest decoded body."},
		{Name: "redirects", Type: decl.String, Default: "same_origin", Enum: []string{"same_origin", "none"}, Doc: "Which redirects are followed."},
		{Name: "allow_private", Type: decl.Bool, Doc: "Allow loopback, link-local, private and metadata addresses; by default only where base_url names one."},
		{Name: "ca_file", Type: decl.String, Doc: "A file with further certificates to trust, in PEM form."},
		{Name: "proxy", Type: decl.String, Secret: decl.SecretInURL, Doc: "The URL of a proxy; by default that of the usual environment variables."},
		{Name: "health", Type: decl.String, Doc: "A path that validate --connect asks for."},
	},
	Blocks: []*decl.BlockSpec{
		{Type: "basic_auth", Attrs: []decl.AttrSpec{
			{Name: "user", Type: decl.String, Required: true, Doc: "The user name."},
			{Name: "password", Type: decl.String, Secret: decl.SecretValue, Required: true, Doc: "The password."},
		}, Doc: "HTTP basic authentication."},
		{Type: "oauth2_client_credentials", Attrs: []decl.AttrSpec{
			{Name: "token_url", Type: decl.String, Required: true, Doc: "Where tokens are asked for."},
			{Name: "client_id", Type: decl.String, Required: true, Doc: "The client's identifier."},
			{Name: "client_secret", Type: decl.String, Secret: decl.SecretValue, Required: true, Doc: "The client's secret."},
			{Name: "scopes", Type: decl.StringList, Doc: "The scopes to ask for."},
		}, Doc: "The OAuth 2.0 client credentials grant."},
		{Type: "client_cert", Attrs: []decl.AttrSpec{
			{Name: "cert_file", Type: decl.String, Required: true, Doc: "The certificate, in PEM form."},
			{Name: "key_file", Type: decl.String, Required: true, Doc: "Its key, in PEM form."},
		}, Doc: "A client certificate for TLS."},
		{Type: "retry", Attrs: []decl.AttrSpec{
			{Name: "max", Type: decl.Integer, Default: "2", Min: "0", Doc: "How often a failed request is tried again."},
			{Name: "min_wait", Type: decl.Duration, Default: "100ms", Doc: "The first wait."},
			{Name: "max_wait", Type: decl.Duration, Default: "2s", Doc: "The longest wait."},
		}, Doc: "Trying again after a failure."},
	},
	Doc: "An HTTP backend.",
}

var sourceSpec = &decl.BlockSpec{
	Type: "http",
	Attrs: []decl.AttrSpec{
		{Name: "connection", Type: decl.Reference, Required: true, Doc: "An http connection."},
		{Name: "url", Type: decl.String, Required: true, Template: decl.TemplateURI, Secret: decl.SecretInURL, Doc: "An RFC 6570 template over the parameters, relative to base_url."},
		{Name: "method", Type: decl.String, Default: "GET", Enum: []string{"GET", "HEAD", "POST"}, Doc: "The method."},
		{Name: "headers", Type: decl.Object, Doc: "Further headers."},
		{Name: "body", Type: decl.Expression, Doc: "The body of a POST, as text."},
		{Name: "json_body", Type: decl.Expression, Doc: "The body of a POST, as a value."},
		{Name: "not_found", Type: decl.IntList, Default: "[404, 410]", Doc: "The statuses that mean not found."},
		{Name: "items", Type: decl.Expression, Doc: "Picks the list out of the response, such as body.data.issues."},
		{Name: "idempotent", Type: decl.Bool, Default: "false", Doc: "A POST may be tried again."},
		{Name: "rows", Type: decl.String, Default: "list", Enum: []string{"list", "one", "each"}, Doc: "How items become contents."},
		{Name: "item_uri", Type: decl.Expression, Doc: "The URI of each content, with rows = \"each\"."},
		{Name: "allow_empty", Type: decl.Bool, Default: "false", Doc: "No items is an empty list instead of not found."},
		{Name: "timeout", Type: decl.Duration, Min: "1ms", Doc: "Overrides that of the connection."},
		{Name: "max_bytes", Type: decl.Size, Min: "1B", Doc: "Overrides that of the connection."},
	},
	Doc: "One HTTP request.",
}
