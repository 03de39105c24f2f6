package touchstone

import (
	"net"
	"strconv"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/netext"
	"go.k6.io/k6/v2/lib/netext/httpext"
	"go.k6.io/k6/v2/metrics"

	"touchstone/k6/exchange"
)

// tagCache caches the tag sets of a VU: building one takes longer than reading a short response.
type tagCache map[tagKey]*metrics.TagSet

type tagKey struct {
	base                                          *metrics.TagSet
	operation, name, method, proto, ip, tls, ocsp string
	failure                                       exchange.Failure
	status                                        int
	isExpected                                    bool
}

// tagsOf returns the tags of a request: k6's system tags, operation, and the tags that the script set.
func (i *instance) tagsOf(state *lib.State, r *request, a *exchange.Result, trail *httpext.Trail, isExpected bool) metrics.TagsAndMeta {
	all := state.Tags.GetCurrentValues()
	key := tagKey{
		base: all.Tags, operation: r.operation, name: r.cleanURL, method: r.http.Method,
		failure: a.Failure, status: a.Status(), isExpected: isExpected,
	}
	if a.Response != nil {
		key.proto = a.Response.Proto
		if a.Response.TLS != nil {
			info, ocsp := netext.ParseTLSConnState(a.Response.TLS)
			key.tls, key.ocsp = info.Version, ocsp.Status
		}
	}
	if state.Options.SystemTags.Has(metrics.TagIP) {
		key.ip = i.remote.ipOf(trail.ConnRemoteAddr)
	}
	tags, isKnown := i.tags[key]
	if !isKnown || len(r.tags) > 0 {
		tags = buildTags(all, key, r.tags, state.Options.SystemTags)
		i.cacheTags(key, tags, r)
	}
	all.Tags = tags
	return all
}

// remoteIP caches the IP address of a VU's last connection.
type remoteIP struct {
	address net.Addr
	ip      string
}

// ipOf returns the IP address of a connection, or "" without a connection. An open connection always returns the same
// pointer as its address.
func (r *remoteIP) ipOf(address net.Addr) string {
	if address == nil {
		return ""
	}
	if address != r.address {
		r.address = address
		r.ip, _, _ = net.SplitHostPort(address.String())
	}
	return r.ip
}

// cacheTags adds a tag set to the cache. It clears the cache at 256 entries, for scripts with a different URL for each
// request.
func (i *instance) cacheTags(key tagKey, tags *metrics.TagSet, r *request) {
	if len(r.tags) > 0 {
		return
	}
	if len(i.tags) >= 256 {
		i.tags = tagCache{}
	}
	i.tags[key] = tags
}

func buildTags(all metrics.TagsAndMeta, key tagKey, own map[string]string, enabled *metrics.SystemTagSet) *metrics.TagSet {
	for name, value := range own {
		all.SetTag(name, value)
	}
	all.SetTag("operation", key.operation)
	name, hasName := all.Tags.Get(metrics.TagName.String())
	if !hasName {
		name = key.name
		all.SetSystemTagOrMetaIfEnabled(enabled, metrics.TagName, name)
	}
	all.SetSystemTagOrMetaIfEnabled(enabled, metrics.TagURL, name)
	all.SetSystemTagOrMetaIfEnabled(enabled, metrics.TagMethod, key.method)
	all.SetSystemTagOrMetaIfEnabled(enabled, metrics.TagStatus, strconv.Itoa(key.status))
	all.SetSystemTagOrMetaIfEnabled(enabled, metrics.TagExpectedResponse, strconv.FormatBool(key.isExpected))
	setWhere := func(tag metrics.SystemTag, value string) {
		if value != "" {
			all.SetSystemTagOrMetaIfEnabled(enabled, tag, value)
		}
	}
	setWhere(metrics.TagProto, key.proto)
	setWhere(metrics.TagIP, key.ip)
	setWhere(metrics.TagTLSVersion, key.tls)
	setWhere(metrics.TagOCSPStatus, key.ocsp)
	setWhere(metrics.TagError, string(key.failure))
	setWhere(metrics.TagErrorCode, errorCode(key))
	return all.Tags
}

// errorCode returns k6's error code for a failure, or "" if there is none.
func errorCode(key tagKey) string {
	codes := map[exchange.Failure]int{
		exchange.Timeout: 1050, exchange.DNS: 1100, exchange.Refused: 1212, exchange.Reset: 1220, exchange.TLS: 1300,
	}
	code, isKnown := codes[key.failure]
	switch {
	case key.status >= 400:
		code = 1000 + key.status
	case key.failure != exchange.None && key.failure != exchange.Aborted && !isKnown:
		code = 1000
	}
	if code == 0 {
		return ""
	}
	return strconv.Itoa(code)
}
