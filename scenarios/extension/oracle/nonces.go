package oracle

import (
	"fmt"
	"strings"
	"sync"
)

// rememberedNonces is how many requests back an answer may belong to for that to be noticed.
const rememberedNonces = 50_000

// Nonces are the texts that have to stand in one answer each. They may be used by all at once.
type Nonces struct {
	mutex   sync.RWMutex
	known   map[string]struct{}
	order   []string // a ring
	next    int
	prefix  string // that all have had so far: what is worth looking at
	lengths map[int]struct{}
}

// NewNonces makes an empty set.
func NewNonces() *Nonces {
	return &Nonces{known: map[string]struct{}{}, lengths: map[int]struct{}{}}
}

// Add is called before the request is sent.
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

// Check looks for the nonce of a request in its answer's text, and for those of others.
func (n *Nonces) Check(text, own string) []Violation {
	var found []Violation
	if !strings.Contains(text, own) {
		found = append(found, Violation{"nonce-missing", fmt.Sprintf("the text lacks %q, which was asked for", own)})
	}
	if other := n.foreign(strings.ReplaceAll(text, own, "\x00")); other != "" {
		found = append(found, Violation{"cross-talk",
			fmt.Sprintf("the answer to the request with %q has %q, which another request asked for", own, other)})
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
