package outbound

import (
	"net/netip"
)

// special are the networks that are not on the public internet or stand for
// the machine's surroundings (IANA's registries of special-purpose addresses),
// beyond those that netip knows.
var special = prefixes(
	"0.0.0.0/8",        // this network
	"100.64.0.0/10",    // shared by carriers; holds a metadata service too
	"168.63.129.16/32", // metadata service of Azure
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // relays from 6to4
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"240.0.0.0/4",      // reserved, and broadcast
	"::/96",            // IPv4-compatible
	"100::/64",         // discarded
	"2001::/23",        // protocol assignments, Teredo among them
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4: holds an IPv4 address
	"3fff::/20",        // documentation
	"5f00::/16",        // segment routing
	"64:ff9b::/96",     // translated IPv4 addresses
	"64:ff9b:1::/48",   // translated IPv4 addresses, local
	"fec0::/10",        // site-local, formerly
)

func prefixes(texts ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(texts))
	for index, text := range texts {
		parsed[index] = netip.MustParsePrefix(text)
	}
	return parsed
}

// Public tells whether an address is one of the public internet.
func Public(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	if !address.IsGlobalUnicast() || address.IsPrivate() {
		return false
	}
	for _, network := range special {
		if network.Contains(address) {
			return false
		}
	}
	return true
}
