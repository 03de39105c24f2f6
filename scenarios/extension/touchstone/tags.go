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

// tagsOf returns the tags of a request: k6's system tags and operation.
func tagsOf(state *lib.State, r *request, a *exchange.Result, trail *httpext.Trail, isExpected bool) metrics.TagsAndMeta {
	all := state.Tags.GetCurrentValues()
	all.SetTag("operation", r.operation)
	set := func(tag metrics.SystemTag, value string) {
		if value != "" {
			all.SetSystemTagOrMetaIfEnabled(state.Options.SystemTags, tag, value)
		}
	}
	name, hasName := all.Tags.Get(metrics.TagName.String())
	if !hasName {
		name = r.cleanURL
		set(metrics.TagName, name)
	}
	set(metrics.TagURL, name)
	set(metrics.TagMethod, r.http.Method)
	set(metrics.TagStatus, strconv.Itoa(a.Status()))
	set(metrics.TagExpectedResponse, strconv.FormatBool(isExpected))
	if a.Response != nil {
		set(metrics.TagProto, a.Response.Proto)
		if a.Response.TLS != nil {
			info, ocsp := netext.ParseTLSConnState(a.Response.TLS)
			set(metrics.TagTLSVersion, info.Version)
			set(metrics.TagOCSPStatus, ocsp.Status)
		}
	}
	if trail.ConnRemoteAddr != nil {
		ip, _, _ := net.SplitHostPort(trail.ConnRemoteAddr.String())
		set(metrics.TagIP, ip)
	}
	set(metrics.TagError, string(a.Failure))
	set(metrics.TagErrorCode, errorCode(a.Failure, a.Status()))
	return all
}

// errorCode returns k6's error code for a failure, or "" if there is none.
func errorCode(failure exchange.Failure, status int) string {
	codes := map[exchange.Failure]int{
		exchange.Timeout: 1050, exchange.DNS: 1100, exchange.Refused: 1212, exchange.Reset: 1220, exchange.TLS: 1300,
	}
	code, isKnown := codes[failure]
	switch {
	case status >= 400:
		code = 1000 + status
	case failure != exchange.None && failure != exchange.Aborted && !isKnown:
		code = 1000
	}
	if code == 0 {
		return ""
	}
	return strconv.Itoa(code)
}
