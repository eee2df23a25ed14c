package sources

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/mcpdecl/mcpdecl/decl"
)

// CAFile checks the attribute of a connection that names a file of certificate
// authorities, and returns the file's path; "" without the attribute.
func CAFile(b *decl.Block, attr string) string {
	path, pem, ok := file(b, attr)
	if ok && !x509.NewCertPool().AppendCertsFromPEM(pem) {
		d := b.Errorf(b.ValueRange(attr), "invalid_certificate", "%q has no certificate in PEM form", b.String(attr))
		d.Detail = "The file needs at least one block that begins with \"-----BEGIN CERTIFICATE-----\"."
	}
	return path
}

// KeyPair checks the attributes that name a client certificate and its key.
func KeyPair(b *decl.Block, certAttr, keyAttr string) (certFile, keyFile string) {
	certFile, cert, ok1 := file(b, certAttr)
	keyFile, key, ok2 := file(b, keyAttr)
	if !ok1 || !ok2 {
		return certFile, keyFile
	}
	if _, err := tls.X509KeyPair(cert, key); err != nil {
		d := b.Errorf(b.ValueRange(keyAttr), "invalid_certificate", "%q and %q are no certificate and its key", b.String(certAttr), b.String(keyAttr))
		d.Detail = "Both must be in PEM form, and the key that of the certificate."
	}
	return certFile, keyFile
}

// file reads the file that an attribute names.
func file(b *decl.Block, attr string) (path string, content []byte, ok bool) {
	if b.String(attr) == "" {
		return "", nil, false
	}
	path = b.ResolvePath(b.String(attr))
	content, err := b.ReadFile(path)
	if err != nil {
		d := b.Errorf(b.ValueRange(attr), "no_such_file", "the file %q cannot be read", b.String(attr))
		d.Detail = "Correct the path. A relative one is relative to the configuration file."
	}
	return path, content, err == nil
}
