package record

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// encodedPath is the file that histogram.test.ts reads with the TypeScript library.
const encodedPath = "testdata/encoded.json"

type encodedFile struct {
	ValuesUs []int64       `json:"valuesUs"`
	Result   SamplesResult `json:"result"`
}

// TestEncodedFileIsUpToDate compares the committed file with the output of this code. TOUCHSTONE_UPDATE=1 rewrites the
// file.
func TestEncodedFileIsUpToDate(t *testing.T) {
	h := newHistogram(4)
	made := encodedFile{}
	for index := range int64(2000) {
		us := index * index * index / 3
		made.ValuesUs = append(made.ValuesUs, us)
		h.add(us * 1000)
	}
	made.Result = h.result()
	if os.Getenv("TOUCHSTONE_UPDATE") != "" {
		encoded, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(encodedPath, append(encoded, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(encodedPath)
	if err != nil {
		t.Fatal(err)
	}
	var read encodedFile
	if err := json.Unmarshal(written, &read); err != nil {
		t.Fatal(err)
	}
	decoded, err := hdrhistogram.Decode([]byte(read.Result.Encoded))
	if err != nil {
		t.Fatal(err)
	}
	// Different releases of Go may compress data differently, but the decompressed content must be equal.
	if !reflect.DeepEqual(decoded.Export().Counts, h.hdr.Export().Counts) {
		t.Error("the histogram in the file is another")
	}
	read.Result.Encoded, made.Result.Encoded = "", ""
	if !reflect.DeepEqual(read, made) {
		t.Error("the file is not up to date")
	}
}
