//go:build long

package sign

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"placard/scripts/envtest"
)

func TestCodesCanBeScanned(t *testing.T) {
	zbarimg := envtest.Program(t, "zbarimg")
	tab := envtest.Browser(t)
	longest := "https://example.org/" + strings.Repeat("a", 131)
	for _, size := range Sizes {
		for _, target := range []string{address, longest} {
			s, err := Render(example(t, "smart_crossing", "en", "fr"), Options{Code: code(t, target), Size: size})
			if err != nil {
				t.Fatal(err)
			}
			for _, width := range []int64{390, 1000} {
				if width == 390 && target == longest {
					continue // its modules are smaller than two pixels
				}
				open(t, tab, s.HTML(), width, int64(float64(width)*size.Height/size.Width))
				png, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
				if err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(t.TempDir(), "sign.png")
				if err := os.WriteFile(file, png, 0o644); err != nil {
					t.Fatal(err)
				}
				output, err := exec.Command(zbarimg, "--raw", "--quiet", file).Output()
				if got := strings.TrimSpace(string(output)); err != nil || got != target {
					t.Errorf("%s, %d pixels: got %q, %v, want %q", size.Name, width, got, err, target)
				}
			}
		}
	}
}
