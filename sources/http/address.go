package http

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// addressPolicy says which addresses a connection may dial. It is asked after
// a name was resolved, for the very address that is about to be dialed.
type addressPolicy func(netip.Addr) bool

// policyFor is the policy for a host that the operator wrote. A literal
// address is the operator's own word, and so is localhost; any other name may
// be made to point anywhere by whoever runs its domain.
func policyFor(u *url.URL, allowPrivate *bool) addressPolicy {
	host := u.Hostname()
	_, err := netip.ParseAddr(host)
	switch {
	case allowPrivate != nil && *allowPrivate:
		return func(netip.Addr) bool { return true }
	case allowPrivate != nil:
		return isPublic
	case err == nil:
		return func(netip.Addr) bool { return true }
	case isLocalName(host):
		return func(a netip.Addr) bool { return a.Unmap().IsLoopback() }
	}
	return isPublic
}

func isLocalName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// isOwnHost reports whether the host of a URL is an address that is not
// public, or localhost.
func isOwnHost(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && !isPublic(a) || isLocalName(host)
}

// specialNets are addresses without a place in the public internet, beyond
// those that netip knows: RFC 6890 and its registries.
var specialNets = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // shared address space; some clouds' metadata
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),          // IPv4-compatible
	netip.MustParsePrefix("64:ff9b:1::/48"), // local NAT64
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), // Teredo and other assignments
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

// embedded are IPv6 ranges that carry an IPv4 address, at this byte.
var embedded = []struct {
	net netip.Prefix
	at  int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4
}

// isPublic reports whether the address belongs to the public internet.
func isPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	for _, n := range specialNets {
		if n.Contains(a) {
			return false
		}
	}
	for _, e := range embedded {
		if e.net.Contains(a) {
			b := a.As16()
			return isPublic(netip.AddrFrom4([4]byte(b[e.at : e.at+4])))
		}
	}
	return true
}

// control is for net.Dialer: it sees each address before it is connected to.
func (p addressPolicy) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return &net.AddrError{Err: "not an address", Addr: address}
	}
	if !p(ap.Addr()) {
		return &AddressError{Address: ap.Addr().String()}
	}
	return nil
}
