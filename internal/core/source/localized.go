package source

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// localized reads text in several locales, written as a list of locales and
// values or as a mapping from locale to value. The result uses the manifest's
// order and spelling of locales and is the same for both notations.
func (f *fields) localized(n *yaml.Node) taxonomy.Localized {
	if n == nil {
		return nil
	}
	var texts taxonomy.Localized
	empty := map[string]*yaml.Node{} // names of translations without a text, by lower-case locale
	lines := map[string]int{}
	complete := true // no text was skipped because of another finding
	add := func(locale, value *yaml.Node) {
		tag, ok := "", false
		if locale != nil {
			tag, ok = f.locale(locale)
		}
		if !ok || value == nil {
			complete = false
			return
		}
		if line, duplicate := lines[tag]; duplicate {
			f.report(localeDuplicate, nodePos(f.file, locale), "The text for %q appears here and on line %d.", tag, line).FixHint = "Keep one of the two."
			return
		}
		lines[tag] = locale.Line
		f.translated[tag] = true
		f.checkCurlyQuotes(value)
		texts = append(texts, taxonomy.Text{Locale: tag, Value: f.text(value)})
	}
	switch n.Kind {
	case yaml.MappingNode:
		complete = !hasUnreadKeys(n)
		seen := map[string]bool{}
		for key, value := range members(n) {
			switch {
			case seen[key.Value]:
				continue
			case !isNull(value) || !isLanguageTag(key.Value):
				add(key, value)
			case f.checkComment(nodePos(f.file, key), emptyComment(n, key, value)):
				complete = false
			default:
				empty[strings.ToLower(key.Value)] = key
			}
			seen[key.Value] = true
		}
	case yaml.SequenceNode:
		reported := false
		for _, item := range f.items(n) {
			if isByLocale(item) {
				complete = false
				if !reported {
					reported = true
					f.report(fieldKind, nodePos(f.file, item), "Each translation in a list must have a locale and a value.").
						FixHint = "Write locale and value for each, or use a group of fields, such as en: Street, instead of a list."
				}
				continue
			}
			inner := f.mapping(item)
			if inner == nil {
				complete = false
				continue
			}
			add(inner.required("locale"), inner.required("value"))
			inner.reportUnknown()
		}
	default:
		f.reportWrongKind(f.file, n, "text for each locale, such as en: "+strconv.Quote(problem.Clip(n.Value)))
		return nil
	}
	if complete {
		f.checkTranslations(n, texts, empty)
	}
	slices.SortStableFunc(texts, func(a, b taxonomy.Text) int {
		return f.localeIndex[strings.ToLower(a.Locale)] - f.localeIndex[strings.ToLower(b.Locale)]
	})
	return texts
}

// localizedFields are the names of all fields with text in several locales.
var localizedFields = func() []string {
	var names []string
	for _, record := range taxonomy.Records {
		for _, f := range record.Fields {
			if f.Type == "Localized" {
				names = append(names, f.Names()...)
			}
		}
	}
	return names
}()

// indentTranslations moves translations that are written beside the name of a text
// instead of below it into the text, and reports them.
func (r *fileReader) indentTranslations(file string, mapping *yaml.Node) {
	if mapping.Style&yaml.FlowStyle != 0 {
		return
	}
	var kept []*yaml.Node
	var name, text *yaml.Node // the last localized field
	var present map[string]bool
	for i := 0; i < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		if name == nil || !isTranslation(key, value) || present[key.Value] {
			kept = append(kept, key, value)
			name, text = nil, nil
			if key.Kind == yaml.ScalarNode && slices.Contains(localizedFields, key.Value) && (isEmpty(value) || value.Kind == yaml.MappingNode) {
				name, text, present = key, value, map[string]bool{}
				for locale := range members(text) {
					present[locale.Value] = true
				}
			}
			continue
		}
		if isEmpty(text) {
			*text = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: key.Line, Column: key.Column}
		}
		text.Content = append(text.Content, key, value)
		present[key.Value] = true
		r.report(translationNotIndented, nodePos(file, key), "The translation %q is not indented below %q.", key.Value, name.Value).
			FixHint = "Indent the line, so that it is below " + name.Value + "."
	}
	mapping.Content = kept
}

// isTranslation reports whether a field is probably a translation of a text.
func isTranslation(key, value *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && !slices.Contains([]string{"id", "url", "use"}, key.Value) && isLanguageTag(key.Value) && value.Kind == yaml.ScalarNode
}

// isByLocale reports whether a list item is wrongly written as a mapping from locale
// to text, such as "- en: Street".
func isByLocale(item *yaml.Node) bool {
	found := false
	for key := range members(item) {
		if found = isLanguageTag(key.Value); !found {
			break
		}
	}
	return found
}

// localeList reads a list of locales.
func (f *fields) localeList(n *yaml.Node) []string {
	f.localesUncertain = f.localesUncertain || n != nil && n.Kind != yaml.SequenceNode
	var locales []string
	listed := map[string]bool{}
	for _, item := range f.items(n) {
		locale, ok := f.locale(item)
		if !ok {
			f.localesUncertain = true
			continue
		}
		if folded := strings.ToLower(locale); !listed[folded] {
			listed[folded] = true
			locales = append(locales, locale)
			continue
		}
		f.report(localeDuplicate, nodePos(f.file, item), "The locale %q is listed twice.", locale).FixHint = "Remove one of the two."
	}
	return locales
}

// locale reads a locale and returns it in the manifest's spelling.
func (f *fields) locale(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode || isNull(n) {
		f.reportWrongKind(f.file, n, "a locale such as en")
		return "", false
	}
	if !isLanguageTag(n.Value) {
		f.report(localeMalformed, nodePos(f.file, n), "%q is not a valid locale.", problem.Clip(n.Value)).FixHint = suggestLocale(n.Value)
		return "", false
	}
	if i, ok := f.localeIndex[strings.ToLower(n.Value)]; ok {
		return f.locales[i], true
	}
	if len(f.locales) > 0 && !f.localesUncertain {
		f.report(localeUnlisted, nodePos(f.file, n), "The release does not list the locale %q.", n.Value).
			FixHint = "Add it to the locales in " + metaFile + ", or use a listed locale: " + quotedList(f.locales) + "."
		return "", false
	}
	return n.Value, true
}

// checkCurlyQuotes reports text in curly quotes that were probably meant to be
// those of YAML.
func (f *fields) checkCurlyQuotes(n *yaml.Node) {
	if text := strings.TrimSpace(n.Value); n.Kind == yaml.ScalarNode && n.Style == 0 && curlyQuoted.MatchString(text) {
		f.report(textCurlyQuotes, nodePos(f.file, n), "YAML does not read curly quotes as quotes.").
			FixHint = "Use straight quotes. If readers should see the curly ones, put straight quotes around them."
	}
}

var curlyQuoted = regexp.MustCompile(`^(?:[“„][^“”„]*[“”]|[‘‚][^‘’‚]*[‘’])$`)

// checkTranslations records the missing translations of a text for
// [reader.reportUntranslated].
// empty has the names of translations without a text, by lower-case locale.
func (f *fields) checkTranslations(n *yaml.Node, texts taxonomy.Localized, empty map[string]*yaml.Node) {
	if len(texts) >= len(f.locales) && !f.localesUncertain || len(n.Content) == 0 {
		return
	}
	present := map[string]bool{}
	for _, t := range texts {
		present[t.Locale] = true
	}
	var missing []string
	for _, locale := range f.locales {
		name := empty[strings.ToLower(locale)]
		switch {
		case present[locale]:
		case name != nil:
			f.untranslated = append(f.untranslated, untranslated{nodePos(f.file, name), []string{locale}})
		default:
			missing = append(missing, locale)
		}
	}
	if len(missing) > 0 {
		f.untranslated = append(f.untranslated, untranslated{nodePos(f.file, n), missing})
	}
}

// untranslated is a text without a translation in some locales.
type untranslated struct {
	pos     problem.Pos
	locales []string
}

// reportUntranslated reports missing translations. A locale that is missing in more than
// [maxRepeated] texts is reported once: where it is listed if it has no text at all, and
// otherwise at the first of these texts.
func (r *reader) reportUntranslated(t *tree) {
	missing := map[string][]problem.Pos{} // by locale
	for _, u := range r.untranslated {
		for _, locale := range u.locales {
			missing[locale] = append(missing[locale], u.pos)
		}
	}
	reported := map[string]bool{}
	for _, locale := range r.locales {
		texts := missing[locale]
		if len(texts) <= maxRepeated {
			continue
		}
		reported[locale] = true
		if !r.translated[locale] {
			r.report(translationMissing, t.localePos(locale), "None of the %d texts is translated into %q.", len(texts), locale).
				FixHint = "Add the translations, or remove the locale from the list."
			continue
		}
		r.report(translationMissing, texts[0], "The translation into %q is missing here and in %d other places.", locale, len(texts)-1).
			FixHint = "Add the missing translations in " + r.listFilesOf(texts) + "."
	}
	for _, u := range r.untranslated {
		if missing := slices.DeleteFunc(u.locales, func(l string) bool { return reported[l] }); len(missing) > 0 {
			r.report(translationMissing, u.pos, "The translation is missing for %s.", quotedList(missing)).FixHint = "Add the missing translation."
		}
	}
}

// maxListedFiles is the maximum number of files that a hint lists.
const maxListedFiles = 10

// listFilesOf lists the files of positions, with the number of positions in each.
func (r *reader) listFilesOf(positions []problem.Pos) string {
	var files []string
	count := map[string]int{}
	for _, pos := range positions {
		if count[pos.File]++; count[pos.File] == 1 {
			files = append(files, pos.File)
		}
	}
	var list []string
	for _, file := range files[:min(len(files), maxListedFiles)] {
		list = append(list, fmt.Sprintf("%s (%d)", strings.TrimPrefix(file, r.id.Folder()+"/"), count[file]))
	}
	if more := len(files) - len(list); more > 0 {
		list = append(list, problem.Count(more, "other file"))
	}
	return problem.AllOf(list)
}

// localePos returns the position of a locale in the list of locales.
func (t *tree) localePos(locale string) problem.Pos {
	list := t.manifest.document
	if list.broken() || !list.hasValue("locales") {
		list = t.datachain.document
	}
	for i, item := range member(list.root, "locales").Content {
		if strings.EqualFold(resolveAlias(item).Value, locale) {
			return list.pos("locales", i)
		}
	}
	return list.pos("locales")
}

// isLanguageTag reports whether s is a locale whose language has at most three
// letters. No language with more letters is registered.
func isLanguageTag(s string) bool {
	language, _, _ := strings.Cut(s, "-")
	return len(language) <= 3 && taxonomy.IsLocale(s)
}

// suggestLocale returns a hint for an invalid locale.
func suggestLocale(s string) string {
	tag := strings.ReplaceAll(strings.TrimSpace(s), "_", "-")
	if tag != s && isLanguageTag(tag) {
		return "Did you mean " + strconv.Quote(tag) + "?"
	}
	return "Write a language tag such as en, pt-BR or zh-Hant."
}
