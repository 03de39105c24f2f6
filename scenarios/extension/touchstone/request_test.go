package touchstone

import (
	"net/url"
	"testing"
)

func TestMasksTheCredentialsOfAURL(t *testing.T) {
	address, err := url.Parse("http://user:secret@host/path?a=b")
	if err != nil {
		t.Fatal(err)
	}
	if clean := cleanURL(address); clean != "http://****:****@host/path?a=b" {
		t.Error(clean)
	}
}
