package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"placard/internal/serve/budget"
)

func TestExpiredBudgetStopsSearchEarly(t *testing.T) {
	extra := make([]string, 5000)
	for i := range extra {
		extra[i] = fmt.Sprintf("e%d", i)
	}
	a := newAPI(t, extra...)
	i := slices.IndexFunc(a.routes(), func(rt route) bool { return strings.HasSuffix(rt.pattern, "/elements") })
	rt := a.routes()[i]
	search := func(b budget.Budget) (allocated uint64, err error) {
		r := request("GET", "/?query=extra", "")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = rt.handler.handle(a, r, netip.Addr{}, b)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	// With garbage collection off, only the first search allocates pooled memory.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if _, err := search(budget.Read); err != nil {
		t.Fatal(err)
	}
	full, err := search(budget.Read)
	if err != nil {
		t.Fatal(err)
	}
	stopped, err := search(expired)
	if !isTimeout(err) {
		t.Errorf("got error %v, want a timeout", err)
	}
	w := httptest.NewRecorder()
	a.writeError(w, httptest.NewRequest("GET", "/", nil), err)
	if w.Code != http.StatusGatewayTimeout {
		t.Errorf("got status %d, want %d", w.Code, http.StatusGatewayTimeout)
	}
	// A complete search allocates the list of its 5000 hits.
	if full < 5000*16 || stopped > full/4 {
		t.Errorf("got %d bytes allocated by the stopped search and %d by a complete one, want less than a quarter", stopped, full)
	}
}
