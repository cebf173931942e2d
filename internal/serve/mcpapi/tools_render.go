package mcpapi

import (
	"context"
	"fmt"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/serve/query"
	"placard/internal/show/view"
	"placard/internal/storage/catalog"
)

func (s *Server) renderDatachain(ctx context.Context, c *call) (toolResult, error) {
	r, err := s.release(c, c.args.version)
	if err != nil {
		return toolResult{}, err
	}
	snapshot, err := s.snapshot(c)
	if err != nil {
		return toolResult{release: r}, err
	}
	verdict, models, err := renderModels(snapshot, r, c)
	if err != nil {
		return toolResult{release: r}, err
	}
	if models == nil {
		res := s.reportResult(c, verdict.Report, r)
		res.note("Nothing was rendered: the document has errors. A page that was rendered earlier is kept.")
		return res, nil
	}
	model := models[0]
	_, warnings := s.findings(c, verdict.Report)
	notice := model.LocaleNotice(c.args.locale)
	if c.args.format == formatText {
		res := textResult(model, warnings, r)
		res.note(notice)
		return res, nil
	}
	page := view.NewPage(models, c.args.locale)
	html, err := page.HTML(c.step)
	if err != nil {
		return toolResult{release: r}, err
	}
	contents, err := page.JSON(c.step)
	if err != nil {
		return toolResult{release: r}, err
	}
	stored := false
	if key := s.viewKey(c.request); key != "" {
		if stored, err = s.Sessions.Put(ctx, key, html); err != nil {
			return toolResult{release: r}, err
		}
	}

	sections, elements := model.Counts()
	text := model.Summary()
	b := appendRendered([]byte(`{"resource_uri":"`+viewURI+`",`), model, warnings)
	b = appendString(append(b, `,"summary":`...), text)
	return toolResult{
		data:    append(b, '}'),
		release: r,
		notice:  notice,
		summary: renderSummary(sections, elements, text, stored),
		meta:    viewMeta(contents),
	}, nil
}

// renderModels returns the models of the document: in the requested locale or, if none is
// requested, in all of its locales.
func renderModels(snapshot *catalog.Snapshot, r *release.Release, c *call) (query.Verdict, []*view.Model, error) {
	if c.args.locale == "" && c.args.format != formatText {
		return query.RenderAll(snapshot, r, c.document.given, "", c.step)
	}
	return query.Render(snapshot, r, c.document.given, []string{c.args.locale}, c.step)
}

// textResult returns the result of rendering a document as plain text.
func textResult(model *view.Model, warnings problem.List, r *release.Release) toolResult {
	text := model.PlainText()
	b := appendRendered([]byte{'{'}, model, warnings)
	b = appendString(append(b, `,"text":`...), text)
	return toolResult{
		data:    append(b, '}'),
		release: r,
		summary: untrustedNotice + "\n" + fence("datachain", text),
	}
}

// appendRendered appends the members that all results of render_datachain have.
func appendRendered(b []byte, model *view.Model, warnings problem.List) []byte {
	sections, elements := model.Counts()
	b = appendInt(append(b, `"section_count":`...), sections)
	b = appendInt(append(b, `,"element_count":`...), elements)
	return appendProblems(append(b, `,"warnings":`...), warnings)
}

// renderSummary returns the text result of render_datachain. stored reports
// whether the page is available as a resource.
func renderSummary(sections, elements int, text string, stored bool) string {
	resource := ""
	if stored {
		resource = "; the HTML document is the resource " + viewURI + " of this session"
	}
	return fmt.Sprintf("Rendered the datachain: %s, %s. Hosts that support MCP Apps display it next to this result%s.\n%s\n%s",
		problem.Count(sections, "section"), problem.Count(elements, "element"), resource, untrustedNotice, fence("datachain", text))
}
