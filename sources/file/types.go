package file

import (
	"path"
	"strings"
)

// typeByName returns the media type of a file by its extension. The table is
// ours and not the system's, which differs from machine to machine.
func typeByName(name string, text bool) string {
	if t := mediaTypes[extension(name)]; t != "" {
		return t
	}
	if text {
		return "text/plain"
	}
	return "application/octet-stream"
}

// extension is in lower case and without its dot; .env has none.
func extension(name string) string {
	base := path.Base(name)
	ext := path.Ext(base)
	if ext == "" || ext == base {
		return ""
	}
	return strings.ToLower(ext[1:])
}

// mediaTypes follows the registry of IANA where it has a type, and the usage
// of web servers where it has none.
var mediaTypes = map[string]string{
	// Text and what developers write.
	"txt": "text/plain", "text": "text/plain", "log": "text/plain", "conf": "text/plain", "cfg": "text/plain",
	"ini": "text/plain", "env": "text/plain", "properties": "text/plain", "diff": "text/x-diff", "patch": "text/x-diff",
	"md": "text/markdown", "markdown": "text/markdown", "mdx": "text/markdown", "rst": "text/x-rst", "adoc": "text/asciidoc",
	"asciidoc": "text/asciidoc", "org": "text/org", "tex": "text/x-tex", "bib": "text/x-bibtex",
	"csv": "text/csv", "tsv": "text/tab-separated-values", "vtt": "text/vtt", "srt": "application/x-subrip",
	"ics": "text/calendar", "vcf": "text/vcard", "eml": "message/rfc822",
	"html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml", "css": "text/css",
	"js": "text/javascript", "mjs": "text/javascript", "cjs": "text/javascript", "jsx": "text/javascript",
	"ts": "text/typescript", "mts": "text/typescript", "cts": "text/typescript", "tsx": "text/typescript",
	"go": "text/x-go", "mod": "text/plain", "sum": "text/plain", "py": "text/x-python", "rb": "text/x-ruby", "rs": "text/x-rust",
	"c": "text/x-c", "h": "text/x-c", "cc": "text/x-c++", "cpp": "text/x-c++", "cxx": "text/x-c++", "hpp": "text/x-c++",
	"java": "text/x-java", "kt": "text/x-kotlin", "scala": "text/x-scala", "cs": "text/x-csharp", "swift": "text/x-swift",
	"php": "text/x-php", "pl": "text/x-perl", "lua": "text/x-lua", "r": "text/x-r", "sh": "text/x-shellscript",
	"bash": "text/x-shellscript", "zsh": "text/x-shellscript", "ps1": "text/x-powershell", "bat": "text/plain",
	"proto": "text/x-protobuf", "dockerfile": "text/plain", "mk": "text/x-makefile",
	// Structured text.
	"json": "application/json", "jsonc": "application/json", "json5": "application/json5", "jsonl": "application/jsonl",
	"ndjson": "application/x-ndjson", "geojson": "application/geo+json", "jsonld": "application/ld+json",
	"webmanifest": "application/manifest+json", "ipynb": "application/x-ipynb+json", "map": "application/json",
	"yaml": "application/yaml", "yml": "application/yaml", "toml": "application/toml", "xml": "application/xml",
	"xsd": "application/xml", "xsl": "application/xml", "xslt": "application/xml", "rss": "application/rss+xml",
	"atom": "application/atom+xml", "plist": "application/xml", "hcl": "application/hcl", "tf": "application/hcl",
	"tfvars": "application/hcl", "sql": "application/sql", "graphql": "application/graphql", "gql": "application/graphql",
	"cbor": "application/cbor", "rtf": "application/rtf", "pem": "application/x-pem-file",
	// Data.
	"parquet": "application/vnd.apache.parquet", "avro": "application/vnd.apache.avro", "arrow": "application/vnd.apache.arrow.file",
	"feather": "application/vnd.apache.arrow.file", "orc": "application/vnd.apache.orc", "db": "application/vnd.sqlite3",
	"sqlite": "application/vnd.sqlite3", "sqlite3": "application/vnd.sqlite3", "bin": "application/octet-stream",
	"wasm": "application/wasm", "exe": "application/octet-stream", "so": "application/octet-stream",
	// Documents.
	"pdf": "application/pdf", "ps": "application/postscript", "epub": "application/epub+zip", "doc": "application/msword",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "xls": "application/vnd.ms-excel",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "ppt": "application/vnd.ms-powerpoint",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"odt":  "application/vnd.oasis.opendocument.text", "ods": "application/vnd.oasis.opendocument.spreadsheet",
	"odp": "application/vnd.oasis.opendocument.presentation",
	// Archives.
	"zip": "application/zip", "gz": "application/gzip", "tgz": "application/gzip", "tar": "application/x-tar",
	"bz2": "application/x-bzip2", "xz": "application/x-xz", "zst": "application/zstd", "7z": "application/x-7z-compressed",
	"rar": "application/vnd.rar", "jar": "application/java-archive",
	// Pictures.
	"png": "image/png", "apng": "image/apng", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
	"avif": "image/avif", "heic": "image/heic", "heif": "image/heif", "bmp": "image/bmp", "ico": "image/vnd.microsoft.icon",
	"tif": "image/tiff", "tiff": "image/tiff", "svg": "image/svg+xml", "psd": "image/vnd.adobe.photoshop",
	// Sound and film.
	"mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "oga": "audio/ogg", "ogg": "audio/ogg", "opus": "audio/ogg",
	"flac": "audio/flac", "wav": "audio/wav", "weba": "audio/webm", "mid": "audio/midi", "midi": "audio/midi",
	"mp4": "video/mp4", "m4v": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg", "webm": "video/webm", "ogv": "video/ogg",
	"mov": "video/quicktime", "avi": "video/x-msvideo", "mkv": "video/matroska", "m3u8": "application/vnd.apple.mpegurl",
	// Fonts.
	"ttf": "font/ttf", "otf": "font/otf", "woff": "font/woff", "woff2": "font/woff2",
}
