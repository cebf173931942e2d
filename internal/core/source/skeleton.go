package source

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// skeletonFiles contains a commented release in every locale of [skeletonLocales].
// The words TYPE, DATE and STATUS represent the parts of its id.
//
//go:embed skeleton
var skeletonFiles embed.FS

var skeletonLocales = []string{"en", "fr", "es", "ja"}

// Skeleton returns the files of a small, commented release to start from, by their
// paths in the release folder. In a locale that is in no language of the skeleton,
// the texts are empty, so that [Load] reports them as not translated. At least one
// locale must have texts.
func Skeleton(id taxonomy.ID, locales []string) (map[string][]byte, error) {
	if err := checkSkeletonLocales(locales); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	err := fs.WalkDir(skeletonFiles, "skeleton", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(skeletonFiles, name)
		if err != nil {
			return err
		}
		text := string(data)
		switch path.Ext(name) {
		case ".yaml":
			text = skeletonYAML(text, locales)
		case ".json":
			text = skeletonJSON(text, locales)
		}
		files[strings.TrimPrefix(name, "skeleton/")] = []byte(skeletonWords(id).Replace(text))
		return nil
	})
	return files, err
}

func skeletonWords(id taxonomy.ID) *strings.Replacer {
	return strings.NewReplacer("TYPE@DATE-STATUS", id.String(), "id: TYPE", "id: "+quoteUnlessPlain(id.Type), "DATET", id.Date+"T")
}

// checkSkeletonLocales returns an error if a list of locales is not valid, or if the
// skeleton has no texts for it.
func checkSkeletonLocales(locales []string) error {
	listed := map[string]bool{}
	hasTexts := false
	for _, locale := range locales {
		folded := strings.ToLower(locale)
		switch {
		case !isLanguageTag(locale):
			return problem.Failure("%q is not a valid locale.", problem.Clip(locale)).Hint("%s", suggestLocale(locale))
		case listed[folded]:
			return problem.Failure("The locale %q is listed twice.", locale)
		}
		listed[folded] = true
		hasTexts = hasTexts || slices.Contains(skeletonLocales, languageOf(locale))
	}
	if !hasTexts {
		return problem.Failure("There are only texts in %s.", problem.AllOf(skeletonLocales)).
			Hint("Add one of these locales, and remove it again when you have translated the texts.")
	}
	return nil
}

// languageOf returns the language of a locale, such as fr for fr-CA.
func languageOf(locale string) string {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	return language
}

var (
	yamlTranslation = regexp.MustCompile(`^( *)([a-z]{2}): (.*)\n$`)
	jsonTranslation = regexp.MustCompile(`^( *\{"locale": )"([a-z]{2})"(, "value": .*?\}),?\n$`)
)

// skeletonYAML replaces the locales of a YAML file of the skeleton.
func skeletonYAML(text string, locales []string) string {
	list := "locales: [" + strings.Join(skeletonLocales, ", ") + "]"
	text = strings.Replace(text, list, "locales: ["+strings.Join(locales, ", ")+"]", 1)
	return replaceTranslations(text, yamlTranslation, func(lines map[string][]string) string {
		var out strings.Builder
		for _, locale := range locales {
			line, ok := lines[languageOf(locale)]
			if ok {
				fmt.Fprintf(&out, "%s%s: %s\n", line[1], locale, line[3])
			} else {
				fmt.Fprintf(&out, "%s%s:\n", lines[skeletonLocales[0]][1], locale)
			}
		}
		return out.String()
	})
}

// skeletonJSON replaces the locales of a document of the skeleton. Documents need
// not be translated, so other locales are omitted.
func skeletonJSON(text string, locales []string) string {
	return replaceTranslations(text, jsonTranslation, func(lines map[string][]string) string {
		var out []string
		for _, locale := range locales {
			if line, ok := lines[languageOf(locale)]; ok {
				out = append(out, line[1]+strconv.Quote(locale)+line[3])
			}
		}
		return strings.Join(out, ",\n") + "\n"
	})
}

// replaceTranslations replaces each group of consecutive lines that match pattern,
// whose second submatch is the locale.
func replaceTranslations(text string, pattern *regexp.Regexp, replace func(lines map[string][]string) string) string {
	var out strings.Builder
	group := map[string][]string{}
	for line := range strings.Lines(text) {
		if m := pattern.FindStringSubmatch(line); m != nil && slices.Contains(skeletonLocales, m[2]) {
			group[m[2]] = m
			continue
		}
		if len(group) > 0 {
			out.WriteString(replace(group))
			clear(group)
		}
		out.WriteString(line)
	}
	if len(group) > 0 {
		out.WriteString(replace(group))
	}
	return out.String()
}
