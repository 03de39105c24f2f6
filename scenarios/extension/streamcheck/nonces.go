package streamcheck

import (
	"fmt"
	"strings"
	"sync"
)

// rememberedNonces is the number of earlier requests whose nonces are checked for cross-talk.
const rememberedNonces = 50_000

// Nonces is a set of texts, each of which must appear in exactly one response. It is safe for concurrent use.
type Nonces struct {
	mutex   sync.RWMutex
	known   map[string]struct{}
	order   []string // ring buffer of the remembered nonces
	next    int
	prefix  string // common prefix of all nonces, which finds them in a text
	lengths map[int]struct{}
}

// NewNonces creates an empty set.
func NewNonces() *Nonces {
	return &Nonces{known: map[string]struct{}{}, lengths: map[int]struct{}{}}
}

// Add adds the nonce of a request. Call it before sending the request.
func (n *Nonces) Add(nonce string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if len(n.lengths) == 0 {
		n.prefix = nonce
	}
	for !strings.HasPrefix(nonce, n.prefix) {
		n.prefix = n.prefix[:len(n.prefix)-1]
	}
	n.known[nonce] = struct{}{}
	n.lengths[len(nonce)] = struct{}{}
	if len(n.order) < rememberedNonces {
		n.order = append(n.order, nonce)
		return
	}
	delete(n.known, n.order[n.next])
	n.order[n.next] = nonce
	n.next = (n.next + 1) % rememberedNonces
}

// Check returns the violations of a response. Its text must contain the nonce of its request, and no nonce of another
// request.
func (n *Nonces) Check(text, own string) []Violation {
	var found []Violation
	if !strings.Contains(text, own) {
		found = append(found, Violation{"nonce-missing", fmt.Sprintf("the text lacks %q, which its prompt requested", own)})
	}
	if other := n.foreign(strings.ReplaceAll(text, own, "\x00")); other != "" {
		found = append(found, Violation{"cross-talk",
			fmt.Sprintf("the response to the request with %q contains %q, which another request asked for", own, other)})
	}
	return found
}

func (n *Nonces) foreign(text string) string {
	n.mutex.RLock()
	defer n.mutex.RUnlock()
	for at := 0; at < len(text); at++ {
		next := strings.Index(text[at:], n.prefix)
		if next < 0 {
			return ""
		}
		at += next
		for length := range n.lengths {
			if at+length > len(text) {
				continue
			}
			if _, isKnown := n.known[text[at:at+length]]; isKnown {
				return text[at : at+length]
			}
		}
	}
	return ""
}
