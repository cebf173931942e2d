package source

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

func TestFindingsHavePositions(t *testing.T) {
	tests := map[string]struct {
		tree string // overlaid on Minimal
		want []string
	}{
		"a broken file does not hide findings in others": {
			replace(minimalElement, "symbol_id: street", "symbol_id: [street\n") + minimalMeta + "status: stable\n",
			[]string{"YAML_SYNTAX elements/street.yaml:5:12", "STATUS_MISMATCH meta.yaml:2:9"},
		},
		"a broken category does not invalidate its elements": {
			"-- categories/place.yaml --\nid: 'place\n" + replace(minimalElement, "title: {en: Street, fr: Rue}", "title: {en: '{{x}}', fr: '{{x}}'}"),
			[]string{"YAML_SYNTAX categories/place.yaml:1:5"},
		},
		"a category without an id is named after its file": {
			replace(minimalCategory, "id: place\n", ""),
			[]string{"FIELD_MISSING categories/place.yaml:1:1"},
		},
		"a broken type does not make categories unlisted": {
			"-- datachain-type.yaml --\n[]\n",
			[]string{"FIELD_KIND datachain-type.yaml:1:1"},
		},
		"a broken element does not make its symbol unused": {
			"-- elements/street.yaml --\n: :\n  - \x01\n",
			[]string{"YAML_SYNTAX elements/street.yaml:2:5"},
		},
		"a replaced element has a valid id": {
			minimalElement + "replaces: the.avenue\n",
			[]string{"ID_INVALID elements/street.yaml:6:11"},
		},
		"an element that replaces itself and another one": {
			minimalElement + "replaces: [avenue, street]\n",
			[]string{"REPLACED_ELEMENT_EXISTS elements/street.yaml:6:20"},
		},
		"an element that replaces itself": {
			minimalElement + "replaces: street\n",
			[]string{"REPLACED_ELEMENT_EXISTS elements/street.yaml:6:11"},
		},
		"context values, variables and options that replace what exists, themselves, or the same": {
			minimalCategory + `context:
  id: time
  name: {en: Time, fr: Moment}
  values:
  - {id: day, replaces: evening, label: {en: By day, fr: De jour}}
  - {id: night, replaces: [dusk, night], label: {en: At night, fr: De nuit}}
variables:
- {id: name, replaces: sign, label: {en: Name, fr: Nom}}
- {id: sign, replaces: plate.1, label: {en: Sign, fr: Panneau}}
- id: days
  label: {en: Days, fr: Jours}
  kind: multi_select_enum
  options:
  - {id: monday, replaces: [first, weekend], name: {en: Monday, fr: Lundi}}
  - {id: sunday, replaces: [last, weekend, name], name: {en: Sunday, fr: Dimanche}}
`,
			[]string{
				"REPLACED_ELEMENT_EXISTS categories/place.yaml:10:34",
				"REPLACED_ELEMENT_EXISTS categories/place.yaml:12:24", "ID_INVALID categories/place.yaml:13:24",
				"REPLACED_ELEMENT_DUPLICATE categories/place.yaml:19:35",
			},
		},
		"a deprecated element": {
			minimalElement + "deprecated:\n  message: {en: Too vague, fr: Trop vague}\n  use: road\n  since: demo@2026-01-31-beta\n" + roadElement, nil,
		},
		"a deprecated element with a wrong date, and others to use that do not exist or are deprecated": {
			minimalElement + "deprecated: {since: soon, use: [avenue, street]}\n" + roadElement,
			[]string{
				"DEPRECATION_UNCLEAR elements/street.yaml:6:21", "DEPRECATION_UNCLEAR elements/street.yaml:6:33", "DEPRECATION_UNCLEAR elements/street.yaml:6:41",
			},
		},
		"keywords in some locales": {
			minimalElement + "keywords: {fr: [voie, chaussée]}\n", nil,
		},
		"keywords without a value": {
			minimalElement + "keywords: {en:, fr: []}\n", nil,
		},
		"keywords that are blank or in curly quotes": {
			minimalElement + "keywords: {en: ['', road, “lane”], fr: ['  ']}\n",
			[]string{"TEXT_BLANK elements/street.yaml:6:17", "TEXT_CURLY_QUOTES elements/street.yaml:6:27", "TEXT_BLANK elements/street.yaml:6:41"},
		},
		"keywords in an unlisted and an invalid locale": {
			minimalElement + "keywords: {de: [Weg], f_r: [voie]}\n",
			[]string{"LOCALE_UNLISTED elements/street.yaml:6:12", "LOCALE_MALFORMED elements/street.yaml:6:23"},
		},
		"keywords in one locale twice": {
			minimalElement + "keywords: {fr: [voie], FR: [route]}\n",
			[]string{"LOCALE_DUPLICATE elements/street.yaml:6:24"},
		},
		"keywords without locales": {
			minimalElement + "keywords: [road, lane]\n",
			[]string{"FIELD_KIND elements/street.yaml:6:11"},
		},
		"keywords that are not lists": {
			minimalElement + "keywords: {en: road, fr: {voie: route}}\n",
			[]string{"FIELD_KIND elements/street.yaml:6:16", "FIELD_KIND elements/street.yaml:6:26"},
		},
		"keywords as locales and values": {
			minimalElement + "keywords: [{locale: fr, value: [voie, voie]}, {locale: en}, {value: [road], note: x}]\n",
			[]string{
				"KEYWORD_DUPLICATE elements/street.yaml:6:39", "FIELD_MISSING elements/street.yaml:6:47", "FIELD_MISSING elements/street.yaml:6:61",
				"FIELD_UNKNOWN elements/street.yaml:6:77",
			},
		},
		"keywords that are lists or groups": {
			minimalElement + "keywords: {en: [[road], {lane: x}, ~]}\n",
			[]string{"FIELD_KIND elements/street.yaml:6:17", "FIELD_KIND elements/street.yaml:6:25", "FIELD_KIND elements/street.yaml:6:36"},
		},
		"a variable in keywords": {
			minimalElement + "keywords: {en: ['{{name}} road']}\n",
			[]string{"VARIABLE_REFERENCE_UNKNOWN elements/street.yaml:6:17"},
		},
		"categories that subchains list twice": {
			minimalType + "subchains: [{id: way, name: {en: Way, fr: Voie}, categories: [place, place]}, {id: road, name: {en: Road, fr: Route}, categories: [place]}]\n",
			[]string{"CATEGORY_LISTED_TWICE datachain-type.yaml:4:70"},
		},
		"subchains with one id": {
			minimalType + "subchains: [{id: way, name: {en: Way, fr: Voie}, categories: [place]}, {id: way, name: {en: Road, fr: Route}, categories: [place]}]\n",
			[]string{"ID_DUPLICATE datachain-type.yaml:4:77"},
		},
		"a rename that changes only the case of the id": {
			minimalElement + "replaces: Street\n", nil,
		},
		"findings in a symbol name its file": {
			replace(minimalSymbol, "<path", "<script/>\n<path onclick='x'"),
			[]string{"SYMBOL_SCRIPT symbols/street.svg:2:1", "SYMBOL_EVENT_ATTRIBUTE symbols/street.svg:3:7"},
		},
		"a symbol with a period in its name": {
			replace(minimalSymbol, "street.svg", "the.street.svg") + minimalElement + replace(replace(replace(minimalElement,
				"street.yaml", "way.yaml"), "id: street", "id: way"), "{en: Street, fr: Rue}\ndescription: {en: Out in the street, fr: Dans la rue}\nsymbol_id: street", "{en: Way, fr: Voie}\ndescription: {en: Way, fr: Voie}\nsymbol_id: the.street"),
			[]string{"ID_INVALID symbols/the.street.svg"},
		},
		"fields of the wrong kind": {
			minimalCategory + "required: maybe\norder: first\nmin_elements: 1.5\nmax_elements: '2'\nvariables: {}\nexamples: [none]\nprompt: Where?\ncontext: [a]\n",
			[]string{
				"FIELD_KIND categories/place.yaml:5:11", "FIELD_KIND categories/place.yaml:6:8", "FIELD_KIND categories/place.yaml:7:15",
				"FIELD_KIND categories/place.yaml:8:15", "FIELD_KIND categories/place.yaml:9:12", "FIELD_KIND categories/place.yaml:10:12",
				"FIELD_KIND categories/place.yaml:11:9", "FIELD_KIND categories/place.yaml:12:10",
			},
		},
		"a translation that is a list": {
			replace(minimalElement, "{en: Street, fr: Rue}", "[[locale], [locale, en, value], {locale: en, value: 'Street {{nope}}'}]"),
			[]string{
				"FIELD_KIND elements/street.yaml:3:9", "FIELD_KIND elements/street.yaml:3:19",
				"VARIABLE_REFERENCE_UNKNOWN elements/street.yaml:3:60",
			},
		},
		"keys that are aliases or lists": {
			replace(minimalElement, "id: street", "? [x]\n: y\nid: road") + "guidance: {&guidance en: Go, fr: Va}\ncontext: &context x\n*context : y\n",
			[]string{
				"FIELD_KIND elements/street.yaml:1:3", "ID_FILE_MISMATCH elements/street.yaml:3:5",
				"FIELD_KIND elements/street.yaml:9:10", "FIELD_KIND elements/street.yaml:10:1",
			},
		},
		"keys that are not text": {
			minimalMeta + "? [a, b]\n: c\n",
			[]string{"FIELD_KIND meta.yaml:2:3"},
		},
		"fields that are null": {
			replace(replace(minimalElement, "title: {en: Street, fr: Rue}", "title:"), "symbol_id: street", "symbol_id: ~") + "guidance: null\norder: null\nsources:\n",
			[]string{"FIELD_MISSING elements/street.yaml:3:7", "FIELD_MISSING elements/street.yaml:5:12"},
		},
		"empty lists and texts": {
			replace(minimalElement, "{en: Street, fr: Rue}", "{}") + "guidance: []\nsources: []\ncontext: {id: c, name: {en: C, fr: C}, values: []}\n",
			[]string{"FIELD_MISSING elements/street.yaml:3:8", "FIELD_MISSING elements/street.yaml:8:48"},
		},
		"translations that are null or incomplete": {
			replace(minimalElement, "{en: Street, fr: Rue}", "{en: Street, fr: null}") + "guidance: [{locale: en, value: Go}, {locale: fr}, {value: Va}]\n",
			[]string{"TRANSLATION_MISSING elements/street.yaml:3:21", "FIELD_MISSING elements/street.yaml:6:37", "FIELD_MISSING elements/street.yaml:6:51"},
		},
		"translations of the wrong kind": {
			replace(minimalElement, "{en: Street, fr: Rue}", "[{locale: en, value: Street}, Rue]") + "guidance: {en: Go, fr: [Va]}\nexamples: [{scenario: {en: A, fr_FR: B}, narrative: {en: A, de: B}}]\n",
			[]string{
				"FIELD_KIND elements/street.yaml:3:38", "FIELD_KIND elements/street.yaml:6:24",
				"LOCALE_MALFORMED elements/street.yaml:7:31", "LOCALE_UNLISTED elements/street.yaml:7:61",
			},
		},
		"duplicate locales": {
			minimalMeta + "title: [{locale: fr, value: a}, {locale: en, value: b}, {locale: FR, value: c}]\n" +
				replace(minimalType, "fr: Dém", "fr: x, fr: Dém"),
			[]string{"YAML_DUPLICATE_KEY datachain-type.yaml:2:34", "LOCALE_DUPLICATE meta.yaml:2:66"},
		},
		"invalid locales": {
			"-- meta.yaml --\nlocales: [en, fr, EN, e_n, [de]]\n",
			[]string{"LOCALE_DUPLICATE meta.yaml:1:19", "LOCALE_MALFORMED meta.yaml:1:23", "FIELD_KIND meta.yaml:1:28"},
		},
		"an invalid locale in the list does not invalidate texts": {
			"-- meta.yaml --\nlocales: [en, f_r]\n" + minimalType + "locales: [en, fr]\n",
			[]string{"LOCALE_MALFORMED meta.yaml:1:15"},
		},
		"an invalid list of locales does not invalidate texts": {
			"-- meta.yaml --\nlocales: en fr\n" + minimalType + "locales: [en]\n",
			[]string{"FIELD_KIND meta.yaml:1:10"},
		},
		"an invalid locale in the list does not hide missing translations": {
			"-- meta.yaml --\nlocales: [en, f_r]\n" + replace(minimalElement, "{en: Street, fr: Rue}", "{fr: Rue}"),
			[]string{"TRANSLATION_MISSING elements/street.yaml:3:8", "LOCALE_MALFORMED meta.yaml:1:15"},
		},
		"a list of translations by locale": {
			replace(minimalElement, "{en: Street, fr: Rue}", "\n- en: Street\n- fr: Rue") + "guidance: [{locale: en, value: Go}, {pt-BR: Va}]\n" +
				minimalCategory + "prompt: [{en: Where, fr: Où}]\n",
			[]string{"FIELD_KIND categories/place.yaml:5:10", "FIELD_KIND elements/street.yaml:4:3", "FIELD_KIND elements/street.yaml:8:37"},
		},
		"merge keys that hide fields and translations": {
			replace(minimalElement, "{en: Street, fr: Rue}", "{en: Street, <<: {fr: Rue}}") + "sources: [{<<: {type: law}, title: Act}]\n" +
				"guidance: [{locale: en, value: Go}, {<<: {locale: fr}, value: Va}]\nexamples: [{scenario: {en: A, [fr]: B}, narrative: {en: A, fr: B}}]\n",
			[]string{
				"YAML_MERGE_KEY elements/street.yaml:3:21", "YAML_MERGE_KEY elements/street.yaml:6:12",
				"YAML_MERGE_KEY elements/street.yaml:7:38", "FIELD_KIND elements/street.yaml:8:31",
			},
		},
		"a broken category that is not named after its id": {
			"-- categories/place.yaml --\n" + "-- categories/the place.yaml --\nid: 'place\n" + minimalType +
				"subchains: [{id: way, name: {en: Way, fr: Voie}, categories: [place]}]\n",
			[]string{"YAML_SYNTAX categories/the place.yaml:1:5"},
		},
		"a broken category with the file name of another": {
			"-- categories/area.yaml --\nid: 'area\n" + replace(minimalCategory, "place.yaml", "lieu.yaml") + "-- categories/place.yaml --\nid: 'lieu\n",
			[]string{"YAML_SYNTAX categories/area.yaml:1:5", "ID_FILE_MISMATCH categories/lieu.yaml:1:5", "YAML_SYNTAX categories/place.yaml:1:5"},
		},
		"a broken category that is listed does not hide unknown ones": {
			"-- categories/place.yaml --\nid: 'place\n" + replace(minimalElement, "category_id: place", "category_id: owner") + replace(minimalType, "[place]", "[place, zone]"),
			[]string{
				"YAML_SYNTAX categories/place.yaml:1:5", "CATEGORY_UNKNOWN datachain-type.yaml:3:21",
				"ELEMENT_CATEGORY_UNKNOWN elements/street.yaml:2:14",
			},
		},
		"a broken element that is not named after its id": {
			optionElementUnknown.Example + "-- elements/1.yaml --\nid: 'stret\n",
			[]string{"YAML_SYNTAX elements/1.yaml:1:5"},
		},
		"an unreadable list of categories does not make categories unlisted": {
			replace(minimalType, "[place]", "place"),
			[]string{"FIELD_KIND datachain-type.yaml:3:13"},
		},
		"an unreadable item in the list may be any category": {
			replace(minimalType, "[place]", "[null]"),
			[]string{"FIELD_KIND datachain-type.yaml:3:14"},
		},
		"nulls in lists": {
			replace(minimalType, "[place]", "[place, null, ~, ]") + "subchains: [null]\n" + "-- meta.yaml --\nlocales: [en, fr, null]\n" +
				minimalElement + "guidance: [{locale: en, value: Go}, null]\n",
			[]string{
				"FIELD_KIND datachain-type.yaml:3:21", "FIELD_KIND datachain-type.yaml:3:27", "FIELD_KIND datachain-type.yaml:4:13",
				"FIELD_KIND elements/street.yaml:6:37", "FIELD_KIND meta.yaml:1:19",
			},
		},
		"ids that are too long": {
			replace(minimalElement, "id: street", "id: "+strings.Repeat("x", 129)) + minimalCategory + "context: {id: c, name: {en: C, fr: C}, values: [{id: " +
				strings.Repeat("v", 128) + ", label: {en: V, fr: V}}]}\n",
			[]string{"ID_INVALID elements/street.yaml:1:5"},
		},
		"an id with a period in a file that is named correctly": {
			replace(replace(minimalElement, "street.yaml", "the_street.yaml"), "id: street", "id: the.street") + "-- elements/street.yaml --\n",
			[]string{"ID_INVALID elements/the_street.yaml:1:5"},
		},
		"a category with a period in its id or in references to it": {
			replace(minimalCategory, "id: place", "id: the.place") + replace(minimalType, "[place]", "[the_place]") +
				replace(minimalElement, "category_id: place", "category_id: the_place"),
			[]string{"ID_INVALID categories/place.yaml:1:5"},
		},
		"a listed category with a period": {
			replace(replace(minimalCategory, "place.yaml", "the_place.yaml"), "id: place", "id: the_place") + "-- categories/place.yaml --\n" +
				replace(minimalType, "[place]", "[the.place]") + replace(minimalElement, "category_id: place", "category_id: the_place"),
			[]string{"CATEGORY_UNKNOWN datachain-type.yaml:3:14"},
		},
		"ids that differ only in case": {
			minimalCategory + "context: {id: c, name: {en: C, fr: C}, values: [{id: day, label: {en: A, fr: A}}, {id: Day, label: {en: B, fr: B}}, {id: Dark, label: {en: C, fr: C}}]}\n" +
				"variables: [{id: x, label: {en: A, fr: A}}, {id: X, label: {en: B, fr: B}}]\n" +
				replace(replace(replace(roadElement, "road.yaml", "Street.yaml"), "id: road", "id: Street"), "symbol_id: street", "symbol_id: STREET") +
				replace(minimalSymbol, "street.svg", "STREET.svg"),
			[]string{
				"ID_DUPLICATE categories/place.yaml:5:88", "CONTEXT_VALUE_RESERVED categories/place.yaml:5:122",
				"ID_DUPLICATE elements/street.yaml:1:5", "ID_DUPLICATE symbols/street.svg",
			},
		},
		"unknown fields everywhere": {
			minimalMeta + "licence: free\n" +
				minimalCategory + "context: {id: c, name: {en: C, fr: C}, values: [{id: v, label: {en: V, fr: V}, colour: red}], color: red}\n",
			[]string{"FIELD_UNKNOWN categories/place.yaml:5:80", "FIELD_UNKNOWN categories/place.yaml:5:95", "FIELD_UNKNOWN meta.yaml:2:1"},
		},
		"fields written under both names": {
			minimalCategory + "context: {id: c, name: {en: C, fr: C}, values: [{id: v, name: {en: V, fr: V}, label: {en: V, fr: V}}]}\nelement_context: 1\nvariables: []\nelement_variables: []\n",
			[]string{"FIELD_TWO_NAMES categories/place.yaml:5:63", "FIELD_TWO_NAMES categories/place.yaml:6:18", "FIELD_TWO_NAMES categories/place.yaml:8:20"},
		},
		"invalid characters in references and ids": {
			replace(minimalElement, "category_id: place", "category_id: the.place") + minimalCategory + "context: {id: é, name: {en: C, fr: C}, values: [{id: a b, label: {en: V, fr: V}}]}\n",
			[]string{"ID_INVALID categories/place.yaml:5:15", "ID_INVALID categories/place.yaml:5:54", "ELEMENT_CATEGORY_UNKNOWN elements/street.yaml:2:14"},
		},
		"translations beside their texts": {
			replace(replace(minimalElement, "{en: Street, fr: Rue}", "\n  en: Street\nfr: Rue"), "{en: Out in the street, fr: Dans la rue}", "\nen: Out\nfr: Dehors") +
				minimalCategory + "variables:\n- id: x\n  label:\n    en: X\n  fr: X\n  url: X\n",
			[]string{
				"TRANSLATION_NOT_INDENTED categories/place.yaml:9:3", "FIELD_UNKNOWN categories/place.yaml:10:3",
				"TRANSLATION_NOT_INDENTED elements/street.yaml:5:1",
				"TRANSLATION_NOT_INDENTED elements/street.yaml:7:1", "TRANSLATION_NOT_INDENTED elements/street.yaml:8:1",
			},
		},
		"translations beside a text that has them": {
			minimalElement + "guidance: {en: Go, fr: Va}\nfr: Va\n",
			[]string{"FIELD_UNKNOWN elements/street.yaml:7:1"},
		},
		"misspelt names of required fields": {
			replace(replace(minimalElement, "title:", "name:"), "symbol_id:", "symbol:") +
				replace(replace(minimalCategory, "name:", "title:"), "shape", "shap") + "context: {ID: c, title: {en: C, fr: C}, value: [{id: v, title: {en: V, fr: V}}]}\n",
			[]string{
				"FIELD_MISSING categories/place.yaml:2:1", "FIELD_MISSING categories/place.yaml:4:1", "FIELD_MISSING categories/place.yaml:5:11",
				"FIELD_MISSING categories/place.yaml:5:18", "FIELD_MISSING categories/place.yaml:5:41",
				"FIELD_MISSING elements/street.yaml:3:1", "FIELD_MISSING elements/street.yaml:5:1",
			},
		},
		"misspelt lists of locales and categories": {
			replace(minimalMeta, "locales", "locale") + replace(minimalType, "categories", "category"),
			[]string{"FIELD_MISSING datachain-type.yaml:3:1", "FIELD_MISSING meta.yaml:1:1"},
		},
		"a misspelt field of a subchain and a category that is not listed": {
			minimalType + "subchains: [{id: way, name: {en: Way, fr: Voie}, categorys: [place]}]\n" + categoryNotListed.Example,
			[]string{"CATEGORY_NOT_LISTED categories/owner.yaml:1:5", "FIELD_MISSING datachain-type.yaml:4:50"},
		},
		"a renamed type folder": {
			replace(minimalType, "id: demo", "id: other") + minimalMeta + "version: other@2026-01-31-beta\n",
			[]string{"TYPE_MISMATCH datachain-type.yaml:1:5"},
		},
		"variables outside elements": {
			minimalCategory + "prompt: {en: 'Which {{name}}?', fr: 'Quel {{ name }} ?'}\nguidance: {en: 'Fill in {{name}}', fr: 'Remplissez {{name}}'}\n" +
				"variables: [{id: name, label: {en: 'The {{name}}', fr: Nom}}]\n",
			[]string{"VARIABLE_REFERENCE_UNKNOWN categories/place.yaml:5:14", "VARIABLE_REFERENCE_UNKNOWN categories/place.yaml:7:36"},
		},
		"text in curly quotes": {
			replace(minimalElement, "{en: Street, fr: Rue}", "{en: “Street”, fr: '„Rue“'}") + "guidance: {en: “Go” or “stay”, fr: ‘Va’}\n",
			[]string{"TEXT_CURLY_QUOTES elements/street.yaml:3:13", "TEXT_CURLY_QUOTES elements/street.yaml:6:36"},
		},
		"two files with the same id": {
			minimalElement + replace(minimalElement, "street.yaml", "road.yaml"),
			[]string{"ID_DUPLICATE elements/road.yaml:1:5"},
		},
		"an option for an element of another category": {
			replace(minimalType, "[place]", "[place, owner]") + replace(replace(minimalCategory, "place.yaml", "owner.yaml"), "id: place", "id: owner") +
				"variables:\n- {id: v, label: {en: V, fr: V}, kind: multi_select_enum, options: [{id: o, name: {en: O, fr: O}, applies_to: [street, city]}]}\n" +
				replace(replace(replace(minimalElement, "street.yaml", "city.yaml"), "id: street", "id: city"), "id: place", "id: owner"),
			[]string{"OPTION_ELEMENT_UNKNOWN categories/owner.yaml:6:112"},
		},
		"a variable required for an element of another category": {
			replace(minimalType, "[place]", "[place, owner]") + replace(replace(minimalCategory, "place.yaml", "owner.yaml"), "id: place", "id: owner") +
				"variables:\n- {id: v, label: {en: V, fr: V}, required_for: [city, street]}\n" +
				replace(replace(replace(minimalElement, "street.yaml", "city.yaml"), "id: street", "id: city"), "id: place", "id: owner"),
			[]string{"VARIABLE_ELEMENT_UNKNOWN categories/owner.yaml:6:55"},
		},
		"references to an element with a period in its id": {
			replace(minimalElement, "id: street", "id: the.street") + minimalCategory + "variables:\n- {id: v, label: {en: V, fr: V}, required_for: [the_street], kind: multi_select_enum,\n" +
				"   options: [{id: o, name: {en: O, fr: O}, applies_to: [the_street]}]}\n",
			[]string{"ID_INVALID elements/street.yaml:1:5"},
		},
		"the context of an element": {
			minimalElement + "context: {id: c, name: {en: C, fr: C}, values: [{id: default, label: {en: V, fr: V}, color: '#fff'}]}\n",
			[]string{"CONTEXT_VALUE_RESERVED elements/street.yaml:6:54", "COLOR_INVALID elements/street.yaml:6:93"},
		},
		"colours without quotes": {
			minimalCategory + "context:\n  id: c\n  name: {en: C, fr: C}\n  values:\n  - id: v\n    label: {en: V, fr: V}\n    color: #4A90D9\n  - {id: w, label: {en: W, fr: W}, color: #4A90D9\n    }\n  - id: x\n    label: {en: X, fr: X}\n    color: # none\n",
			[]string{"TEXT_COMMENT categories/place.yaml:11:5", "TEXT_COMMENT categories/place.yaml:12:36"},
		},
		"variables in braces": {
			minimalCategory + "variables: [{id: name, label: {en: Name, fr: Nom}}]\n" +
				replace(minimalElement, "{en: Street, fr: Rue}", "{en: '{{name}} {{ name }} {{nam}}', fr: 'Rue {{name}}'}") +
				replace(replace(replace(minimalElement, "street.yaml", "road.yaml"), "id: street", "id: road"), "{en: Street, fr: Rue}",
					"[{locale: FR, value: '{{name}}'}, {locale: EN, value: '{{}} {{{name}}}'}]"),
			[]string{
				"VARIABLE_REFERENCE_MALFORMED elements/road.yaml:3:62", "VARIABLE_REFERENCE_UNKNOWN elements/road.yaml:3:62",
				"VARIABLE_REFERENCE_UNKNOWN elements/street.yaml:3:13",
			},
		},
		"URLs of sources": {
			minimalType + "sources: [{type: law, title: A, url: 'https://example.org/a'}, {type: law, title: B, url: 'ftp://example.org'}, {type: law, title: C, url: 'http://'}, {type: law, title: D}]\n",
			[]string{"SOURCE_URL_INVALID datachain-type.yaml:4:91", "SOURCE_URL_INVALID datachain-type.yaml:4:140"},
		},
		"URLs of sources of variables and options": {
			minimalCategory + "variables:\n- {id: v, label: {en: V, fr: V}, kind: multi_select_enum, sources: [{type: law, title: A, url: a}],\n" +
				"   options: [{id: o, name: {en: O, fr: O}, sources: [{type: law, title: B, url: b}]}]}\n",
			[]string{"SOURCE_URL_INVALID categories/place.yaml:6:96", "SOURCE_URL_INVALID categories/place.yaml:7:81"},
		},
		"aliases": {
			minimalCategory + "prompt: &where {en: Where?, fr: Où ?}\nguidance: *where\nexamples:\n- {scenario: *where, narrative: &n {en: N}}\n- {scenario: *n, narrative: *where}\n",
			[]string{"TRANSLATION_MISSING categories/place.yaml:8:33", "TRANSLATION_MISSING categories/place.yaml:9:14"},
		},
		"a second document with a syntax error": {
			minimalMeta + "---\n'open\n",
			[]string{"YAML_SYNTAX meta.yaml:3:1"},
		},
		"fields in a second document are not missing": {
			replace(minimalElement, "title:", "---\ntitle:"),
			[]string{"YAML_MULTIPLE_DOCUMENTS elements/street.yaml:3:1"},
		},
		"an unknown alias": {
			minimalMeta + "notes: *nothing\n",
			[]string{"YAML_SYNTAX meta.yaml:2:8"},
		},
		"a type with another id": {
			replace(minimalType, "id: demo", "id: ai") + minimalMeta + "version: demo@2026-01-31-beta\nstatus: beta\n",
			[]string{"TYPE_MISMATCH datachain-type.yaml:1:5"},
		},
		"files in the wrong place": {
			"-- categories/place.yml --\nx\n-- elements/sub/a.yaml --\nx\n-- symbols/street.png --\nx\n-- symbol/street.svg --\nx\n-- category.yaml --\nx\n",
			[]string{
				"FILE_UNEXPECTED categories/place.yml", "FILE_UNEXPECTED category.yaml", "FILE_UNEXPECTED elements/sub",
				"FILE_UNEXPECTED symbol", "FILE_UNEXPECTED symbols/street.png",
			},
		},
		"a file instead of a folder": {
			"-- elements/street.yaml --\n-- elements --\nx\n",
			[]string{"FILE_UNREADABLE elements"},
		},
		"backups without their originals": {
			"-- elements/drone.yaml~ --\nx\n-- elements/street.yaml~ --\nx\n-- symbols/drone.svg.bak --\nx\n-- symbols/street.bak --\nx\n-- notes.tmp --\nx\n",
			[]string{"FILE_UNEXPECTED elements/drone.yaml~", "FILE_UNEXPECTED notes.tmp", "FILE_UNEXPECTED symbols/drone.svg.bak"},
		},
		"ignored files": {
			"-- .DS_Store --\nx\n-- elements/street.yaml~ --\nx\n-- elements/.street.yaml.swp --\nx\n-- symbols/street.svg.bak --\nx\n-- README.md --\nx\n-- examples/a.json --\n{\n-- examples/deep/b.txt --\nx\n",
			nil,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, found := Load(overlay(demo, Minimal, test.tree), demo)
			if diff := cmp.Diff(test.want, summary(found)); diff != "" {
				t.Errorf("findings (-want +got):\n%s%v", diff, []problem.Problem(found))
			}
		})
	}
}

func TestLostContentIsAnErrorInStableReleases(t *testing.T) {
	stable := taxonomy.ID{Type: "demo", Date: "2026-01-31", Status: taxonomy.Stable}
	for _, rule := range []rule{fileUnexpected, fieldUnknown, translationMissing, textComment} {
		for id, want := range map[taxonomy.ID]problem.Severity{demo: problem.Warning, stable: problem.Error} {
			result, found := Load(overlay(id, Minimal, rule.Example), id)
			if len(found) != 1 || found[0].Code != rule.Code || found[0].Severity != want {
				t.Errorf("%s: got findings %v, want one %s %s", id, found, want, rule.Code)
			}
			if (result == nil) != (want == problem.Error) {
				t.Errorf("%s: got taxonomy %v with the %s %s", id, result, want, rule.Code)
			}
		}
		if want := "warning; error if the release is stable"; !strings.HasPrefix(rule.Severities(), want) {
			t.Errorf("got severity %q of %s, want %q", rule.Severities(), rule.Code, want)
		}
	}
}

func TestRulesDescribeTheirSeverityInStableReleases(t *testing.T) {
	for _, rule := range rules {
		if described := strings.HasPrefix(rule.ErrorIf, stableRelease); described != rule.errorInStable {
			t.Errorf("%s: got errorInStable %v, but severity %q", rule.Code, rule.errorInStable, rule.Severities())
		}
	}
}

func TestOnlyRequiredVariablesNeedOptions(t *testing.T) {
	const variable = "variables: [{id: days, label: {en: Days, fr: Jours}, kind: multi_select_enum, "
	for fields, want := range map[string]problem.Severity{
		"options: []":                   problem.Warning,
		"options: null":                 problem.Warning,
		"required: false":               problem.Warning,
		"required: true":                problem.Error,
		"required: true, options: []":   problem.Error,
		"required: true, options: null": problem.Error,
		"required_for: [street]":        problem.Error,
	} {
		result, found := Load(overlay(demo, Minimal, minimalCategory+variable+fields+"}]\n"), demo)
		if len(found) != 1 || found[0].Code != variableOptionsMissing.Code || found[0].Severity != want {
			t.Errorf("%s: got findings %v, want one %s %s", fields, found, want, variableOptionsMissing.Code)
		}
		if (result == nil) != (want == problem.Error) {
			t.Errorf("%s: got taxonomy %v with a finding of severity %s", fields, result, want)
		}
	}
}

func TestHints(t *testing.T) {
	for _, test := range []struct{ tree, want string }{
		{minimalElement + "max_placement: 1\n", `Did you mean "max_placements"?`},
		{replace(minimalElement, "category_id: place", "category_id: palce"), `Did you mean "place"?`},
		{replace(minimalElement, "symbol_id: street", "symbol_id: steet"), `Did you mean "street"?`},
		{replace(minimalCategory, "circle", "hexagn"), `Did you mean "hexagon"?`},
		{"-- elements/drone.yml --\nx\n", `Rename it to "drone.yaml", or delete it.`},
		{"-- elements/drone.YAML --\nx\n", `Rename it to "drone.yaml", or delete it.`},
		{"-- elements/drone.yaml.txt --\nx\n", `Rename it to "drone.yaml", or delete it.`},
		{"-- elements/air/drone.yaml --\nx\n", "Move its files to elements/, because folders in it are not read."},
		{"-- elements/drone.svg --\nx\n", "Only .yaml files are read here. Move it to another folder, or delete it."},
		{"-- symbols/drone.SVG --\nx\n", `Rename it to "drone.svg", or delete it.`},
		{"-- symbols/drone.yml --\nx\n", "Only .svg files are read here. Move it to another folder, or delete it."},
		{"-- drone.yaml --\nx\n", "Move it to categories, elements, symbols or examples, or delete it."},
		{"-- Elements/drone.yaml --\nx\n", "Move it to categories, elements, symbols or examples, or delete it."},
		{"-- elements/street.yml --\nx\n", `"street.yaml" already exists. Delete one of the two files.`},
		{"-- elements/street.yaml.txt --\nx\n", `"street.yaml" already exists. Delete one of the two files.`},
		{"-- symbols/street.svg.old --\nx\n", `"street.svg" already exists. Delete one of the two files.`},
		{"-- meta.yml --\nx\n", "Move it to categories, elements, symbols or examples, or delete it."},
		{
			replace(replace(minimalElement, "street.yaml", "road.yaml"), "id: street", "id: lane") + replace(replace(minimalElement, "street.yaml", "lane.yaml"), "id: street", "id: road"),
			`"lane.yaml" already exists. Rename both files, or change the id.`,
		},
		{replace(minimalElement, "street.yaml", "road.yaml"), `Change the id to "road", the name of the file.`},
		{minimalElement + "required: \"true\"\n", "Replace it with true or false, without quotes."},
		{minimalElement + "max_placements: '3'\n", "Replace it with a whole number, without quotes."},
		{minimalElement + "max_placements: three\n", "Replace it with a whole number."},
		{
			replace(minimalElement, "{en: Street, fr: Rue}", "[en: Street, fr: Rue]"),
			"Write locale and value for each, or use a group of fields, such as en: Street, instead of a list.",
		},
		{replace(minimalElement, "id: street", "id: "+strings.Repeat("x", 129)), "Shorten it to at most 128 characters."},
		{"-- elements/meta.yaml --\n# To be written.\n", "Fill it in or delete it."},
		{replace(minimalElement, "title:", "name:"), `Did you mean "title"?`},
		{replace(minimalCategory, "name:", "title:"), `Did you mean "name"?`},
		{replace(minimalElement, "symbol_id:", "symbol:"), `Did you mean "symbol_id"?`},
		{"-- meta.yaml --\n", `Create it. The files that "placard new" writes are an example.`},
		{replace(minimalMeta, "[en, fr]", "en, fr"), "Replace it with a list such as [a, b]."},
		{minimalElement + "excludes: road\n", "Replace it with a list such as [a, b]."},
		{minimalElement + "excludes: {a: b}\n", "Replace it with a list such as [a, b]."},
		{minimalElement + "keywords: {en: main road}\n", "Replace it with a list such as [CCTV, surveillance camera]."},
		{minimalElement + "keywords: road\n", "Replace it with a list of words for each locale, such as en: [CCTV, surveillance camera]."},
		{replace(minimalType, "id: demo", "id: other") + minimalMeta + "version: other@2026-01-31-beta\n", `Change it to demo, or rename the folder to "other".`},
		{replace(minimalType, "id: demo", "id: the other"), "Change it to demo."},
		{minimalMeta + "? [a]\n: b\n\tnotes: x\n", "Indent with spaces, not tabs."},
	} {
		_, found := Load(overlay(demo, Minimal, test.tree), demo)
		if !slices.ContainsFunc(found, func(p problem.Problem) bool { return p.FixHint == test.want }) {
			t.Errorf("no hint %q in %v", test.want, []problem.Problem(found))
		}
	}
}

func TestReferencesToVariables(t *testing.T) {
	const en, fr = "elements/street.yaml:4:9", "elements/street.yaml:5:9"
	for _, test := range []struct {
		en, fr string
		want   []string
		hint   string // of the first finding
	}{
		{"{{duration}}", "{{duration}}", nil, ""},
		{"{{ duration }}", "{{duration}}", nil, ""},
		{"{duration}", "{{duration}}", []string{"MALFORMED " + en}, "Write {{duration}}."},
		{"{{duration}}", "{duration}", []string{"MALFORMED " + fr}, "Write {{duration}}."},
		{"{duration}", "{duration}", []string{"MALFORMED " + en, "MALFORMED " + fr}, "Write {{duration}}."},
		{"{{duration}", "{{duration}}", []string{"MALFORMED " + en}, "Write {{duration}}."},
		{"{{duration}", "{{duration}", []string{"MALFORMED " + en, "MALFORMED " + fr}, "Write {{duration}}."},
		{"{{duration}}}", "{{duration}}", []string{"MALFORMED " + en}, "Write {{duration}}."},
		{"{{{duration}}", "{{duration}}", []string{"MALFORMED " + en}, "Write {{duration}}."},
		{"{duration}}", "{{duration}}", []string{"MALFORMED " + en}, "Write {{duration}}."},
		{"{{duration", "{{duration}}", []string{"MALFORMED " + en}, "Write {{duration}}."},
		{"duration}}", "{{duration}}", []string{"MALFORMED " + en}, "Write {{duration}}."},
		{"{ duration }", "{{duration}}", []string{"MALFORMED " + en}, "Write {{duration}}."},
		{"{duraton}", "{{duration}}", []string{"MALFORMED " + en}, "Write {{duration}}."},
		{"{{durtaion}}", "{{duration}}", []string{"UNKNOWN " + en}, `Did you mean "duration"?`},
		{"{{duration}}", "{{Duration}}", []string{"UNKNOWN " + fr}, `Did you mean "duration"?`},
		{"{{owner}}", "{{owner}}", []string{"UNKNOWN " + en}, "Declare the variable in the category, or remove it from the text."},
		{"{{duration}}", "{{dauer}}", []string{"UNKNOWN " + fr}, "Declare the variable in the category, or remove it from the text."},
		{"{{}}", "none", []string{"UNKNOWN " + en}, "Declare the variable in the category, or remove it from the text."},
		{"none", "{{duration}}", []string{"DIFFERS " + en}, "Use {{duration}} in both texts, or in neither."},
		{"{{duration}}", "none", []string{"DIFFERS " + fr}, "Use {{duration}} in both texts, or in neither."},
		{"a set {…} and {1, 2} and { and }", "{", nil, ""},
		{"}} and {{", "none", []string{"MALFORMED " + en, "MALFORMED " + en}, "Write a variable as {{id}}, or remove the braces."},
	} {
		_, found := Load(overlay(demo, Minimal, minimalCategory+"variables: [{id: duration, label: {en: Time, fr: Temps}}]\n"+
			replace(minimalElement, "{en: Street, fr: Rue}", "\n    en: 'x "+test.en+"'\n    fr: 'y "+test.fr+"'")), demo)
		var got []string
		for _, s := range summary(found) {
			got = append(got, strings.TrimPrefix(s, "VARIABLE_REFERENCE_"))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", test.en, test.fr, diff)
		}
		if len(found) > 0 && found[0].FixHint != test.hint {
			t.Errorf("%s, %s: got hint %q, want %q", test.en, test.fr, found[0].FixHint, test.hint)
		}
	}
}

// manyElements returns a release with 40 elements.
func manyElements() string {
	tree := Minimal
	for i := range 40 {
		id := "street" + strconv.Itoa(i)
		tree += replace(replace(replace(minimalElement, "street.yaml", id+".yaml"), "id: street", "id: "+id), "{en: Street, fr: Rue}", fmt.Sprintf("{en: Street %d, fr: Rue %d}", i, i))
	}
	return tree
}

// withoutFrench removes the first n French titles from a release.
func withoutFrench(tree string, n int) string {
	return regexp.MustCompile(`, fr: Rue[^}]*}`).ReplaceAllStringFunc(tree, func(s string) string {
		if n--; n >= 0 {
			return "}"
		}
		return s
	})
}

func TestFindingsWithOneCauseAreMerged(t *testing.T) {
	many := manyElements()
	for name, test := range map[string]struct {
		tree string
		want []string
		hint string // of the first finding
	}{
		"the name of a language in the list": {
			replace(many, "[en, fr]", "[english, fr]"), []string{`LOCALE_MALFORMED meta.yaml:1:11 "english" is not a valid locale.`}, "Write a language tag such as en, pt-BR or zh-Hant.",
		},
		"a locale that is not listed": {
			replace(many, "[en, fr]", "[en]"),
			[]string{`LOCALE_UNLISTED categories/place.yaml:2:19 The release does not list the locale "fr". It is used in 85 places.`},
			`Add it to the locales in meta.yaml, or use a listed locale: "en".`,
		},
		"a locale that is not used": {
			replace(many, "[en, fr]", "[en, fr, de]"),
			[]string{`TRANSLATION_MISSING meta.yaml:1:19 None of the 85 texts is translated into "de".`},
			"Add the translations, or remove the locale from the list.",
		},
		"a locale of the type that is not used": {
			replace(replace(many, "locales: [en, fr]", "notes: x"), "id: demo", "locales: [en, de, fr]\nid: demo"),
			[]string{`TRANSLATION_MISSING datachain-type.yaml:1:15 None of the 85 texts is translated into "de".`},
			"Add the translations, or remove the locale from the list.",
		},
		"an invalid locale in many texts": {
			strings.ReplaceAll(replace(many, "[en, fr]", "[en, pt-BR]"), "fr: ", "pt_BR: "),
			[]string{`LOCALE_MALFORMED categories/place.yaml:2:19 "pt_BR" is not a valid locale. It is used in 85 places.`},
			`Did you mean "pt-BR"?`,
		},
		"a misspelt category": {
			strings.ReplaceAll(many, "category_id: place", "category_id: lieu"),
			[]string{`ELEMENT_CATEGORY_UNKNOWN elements/street.yaml:2:14 There is no category "lieu". It is used in 41 places.`},
			`Use a category of the release: "place".`,
		},
		"a missing symbol": {
			many + "-- symbols/street.svg --\n",
			[]string{`ELEMENT_SYMBOL_UNKNOWN elements/street.yaml:5:12 There is no symbol "street". It is used in 41 places.`},
			`Add the file "symbols/street.svg".`,
		},
		"a variable that is not declared": {
			regexp.MustCompile(`en: Street([^,]*), fr: Rue[^}]*`).ReplaceAllString(many, "en: '{{name}}$1', fr: '{{name}}$1'"),
			[]string{`VARIABLE_REFERENCE_UNKNOWN elements/street.yaml:3:13 The element's category has no variable "name". It is used in 41 places.`},
			"Declare the variable in the category, or remove it from the text.",
		},
	} {
		_, found := Load(overlay(demo, test.tree), demo)
		got := summary(found)
		for i, p := range found {
			got[i] += " " + p.Message
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		} else if found[0].FixHint != test.hint {
			t.Errorf("%s: got hint %q, want %q", name, found[0].FixHint, test.hint)
		}
	}
}

func TestFewMissingTranslationsAreReportedSeparately(t *testing.T) {
	tree := withoutFrench(manyElements(), 3)
	_, found := Load(overlay(demo, tree), demo)
	if len(found) != 3 || found[0].Message != `The translation is missing for "fr".` {
		t.Errorf("got %v, want 3 missing translations", []problem.Problem(found))
	}
}

func TestManyMissingTranslationsAreReportedOnce(t *testing.T) {
	tree := replace(withoutFrench(manyElements(), 13), "{en: Out in the street, fr: Dans la rue}", "{en: Out in the street}")
	_, found := Load(overlay(demo, tree), demo)
	if want := `The translation into "fr" is missing here and in 13 other places.`; len(found) != 1 || found[0].Message != want {
		t.Fatalf("got %v, want %q", []problem.Problem(found), want)
	}
	const want = "Add the missing translations in elements/street.yaml (2), elements/street0.yaml (1), "
	if got := found[0].FixHint; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " and 3 other files.") {
		t.Errorf("got hint %q, want %q and other files", got, want)
	}
	stable := taxonomy.ID{Type: "demo", Date: "2026-01-31", Status: taxonomy.Stable}
	if result, found := Load(overlay(stable, replace(manyElements(), "[en, fr]", "[en, fr, de]")), stable); result != nil || len(found) != 1 {
		t.Errorf("got %v with findings %v, want one error in a stable release", result, found)
	}
}

func TestCostOfHintsIsLimited(t *testing.T) {
	fsys := overlay(demo, Minimal)
	const many = 2000
	for i := range many {
		id := fmt.Sprintf("the_street_%04d", i)
		fsys[demo.Folder()+"/elements/"+id+".yaml"] = &fstest.MapFile{Data: []byte(
			"{id: " + id + ", category_id: place, symbol_id: " + id + "x, title: {en: " + id + ", fr: " + id + "}, description: {en: Street, fr: Rue}}")}
		fsys[demo.Folder()+"/symbols/"+id+".svg"] = &fstest.MapFile{Data: txtar.Parse([]byte(minimalSymbol)).Files[0].Data}
	}
	_, found := Load(fsys, demo)
	if len(found) != many || !strings.HasPrefix(found[0].FixHint, "Did you mean") || found[many-1].FixHint != `Add the file "symbols/the_street_1999x.svg".` {
		t.Errorf("got %d findings, the first %+v, the last %+v", len(found), found[0], found[len(found)-1])
	}
}

func TestFileNamesAreQuoted(t *testing.T) {
	fsys := overlay(demo, Minimal)
	for i, file := range []string{"elements/a\x1b.yaml", "elements/b\u202e.yaml", "symbols/a\nb.svg", "symbols/A\nb.svg", "elements/\a.yml", "\r"} {
		content := []string{minimalElement, minimalSymbol}[i/2%2]
		fsys[demo.Folder()+"/"+file] = &fstest.MapFile{Data: txtar.Parse([]byte(content)).Files[0].Data}
	}
	_, found := Load(fsys, demo)
	if len(found) < 7 {
		t.Errorf("got findings %v, want at least 7", found)
	}
	for _, p := range found {
		if strings.ContainsFunc(p.Message+p.FixHint, func(c rune) bool { return !strconv.IsPrint(c) }) {
			t.Errorf("finding contains unprintable characters: %q %q", p.Message, p.FixHint)
		}
	}
}

func TestMessagesNameFilesRelativeToTheRelease(t *testing.T) {
	for _, test := range []struct{ tree, want string }{
		{minimalElement + replace(minimalElement, "street.yaml", "road.yaml"), `The element id "street" is already used at "elements/street.yaml:1:5".`},
		{
			minimalElement + replace(replace(minimalElement, "street.yaml", "Street.yaml"), "id: street", "id: Street"),
			`The element id "street" differs only in case from "Street" at "elements/Street.yaml:1:5".`,
		},
	} {
		_, found := Load(overlay(demo, Minimal, test.tree), demo)
		if !slices.ContainsFunc(found, func(p problem.Problem) bool { return p.Message == test.want }) {
			t.Errorf("no message %q in %v", test.want, []problem.Problem(found))
		}
	}
	for _, rule := range rules {
		_, found := Load(overlay(demo, Minimal, rule.Example), demo)
		for _, p := range found {
			if strings.Contains(p.Message+p.FixHint, demo.Folder()) {
				t.Errorf("%s mentions the release folder: %s %s", p.Code, p.Message, p.FixHint)
			}
		}
	}
}
