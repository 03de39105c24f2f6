package touchstone

import (
	"fmt"
	"testing"
)

func TestCachesTheURLsOfAVU(t *testing.T) {
	cache := addressCache{}
	first, err := cache.parse("http://user:secret@host/path?a=b")
	if err != nil || first.url.Path != "/path" || first.clean != "http://****:****@host/path?a=b" {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, _ := cache.parse("http://user:secret@host/path?a=b"); again != first {
		t.Error("a URL is parsed twice")
	}
	for index := range 1000 {
		other, err := cache.parse(fmt.Sprintf("http://host/%d", index))
		if err != nil || other.url.Path != fmt.Sprintf("/%d", index) || len(cache) > maxAddresses {
			t.Fatalf("%+v, %v, %d URLs", other, err, len(cache))
		}
	}
	if _, err := cache.parse("/path"); err == nil {
		t.Error("a relative URL is accepted")
	}
}
