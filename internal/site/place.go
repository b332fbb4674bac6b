package site

import (
	"context"
	"net"
	"net/url"
	"strings"
)

// Prefix is the path below which sites are served on the server's own host.
const Prefix = "/sites"

// maximumProxyDepth bounds the segments of the path of a proxy that are looked
// for.
const maximumProxyDepth = 3

// Place is an address at which a site may be read.
type Place struct {
	Lookup Lookup
	// Base is the path of the site, without a slash at its end; Rest is what
	// follows, without one at its beginning. Both are escaped.
	Base, Rest string
}

// HostOf is the name of a host without its port, in lower case.
func HostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return strings.ToLower(host)
	}
	return strings.ToLower(hostport)
}

// IsServer tells whether a host is that of the server itself: the host of its
// base URL, or an address by number.
func (s *Service) IsServer(hostport string) bool {
	host := HostOf(hostport)
	return host == s.host || host == "" || host == "localhost" || net.ParseIP(strings.Trim(host, "[]")) != nil
}

// Places are the addresses of sites that a host and an escaped path may be: on
// the server itself, at a host name of the site's own, at that of its
// organization, or behind a proxy.
func (s *Service) Places(hostport, path string) []Place {
	host, path := HostOf(hostport), strings.TrimPrefix(path, "/")
	if s.IsServer(hostport) {
		below, is := strings.CutPrefix(path, Prefix[1:]+"/")
		if !is {
			return nil
		}
		return named(below, Prefix, "")
	}
	places := []Place{{Lookup: Lookup{Hostname: host}, Rest: path}}
	if organization, is := strings.CutSuffix(host, "."+s.host); is {
		return append(places, named(path, "", organization)...)
	}
	return append(places, proxied(host, path)...)
}

// named is the site that the first segment of a path names.
func named(path, base, organization string) []Place {
	first, rest, _ := strings.Cut(path, "/")
	name, err := url.PathUnescape(first)
	if err != nil || name == "" {
		return nil
	}
	return []Place{{Lookup: Lookup{Basename: name, OrganizationHostname: organization}, Base: base + "/" + first, Rest: rest}}
}

// proxied are the places of a host, by its path, at which a proxy may serve a
// site.
func proxied(host, path string) []Place {
	var places []Place
	prefix := ""
	for rest := path; rest != "" && len(places) < maximumProxyDepth; {
		segment, below, _ := strings.Cut(rest, "/")
		prefix, rest = prefix+"/"+segment, below
		places = append(places, Place{Lookup: Lookup{Proxy: host + prefix}, Base: prefix, Rest: rest})
	}
	return places
}

// FindAt is Find for an address: NOT_FOUND when no site is read there.
func (s *Service) FindAt(ctx context.Context, hostport, path string) (*Structure, Place, error) {
	return s.findAny(ctx, s.Places(hostport, path))
}
