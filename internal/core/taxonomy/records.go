package taxonomy

// Records is the table of all fields: of datachain types, categories, elements and
// their parts. Reading, writing, schemas, snapshots, comparisons and the guide follow
// it, so a new field needs the struct field, its row, and whatever is special about it.
var Records = []*Record{
	{
		Name:     "DatachainType",
		Served:   "The kind of disclosure that a version describes.",
		Authored: "The kind of disclosure that the release describes, and its categories in order.",
		Rows: []*Field{
			{
				Name: "id", Type: "TypeID", Mandatory: true, Needed: Everywhere,
				Authored: "The id of the type. Must match the name of its folder.",
			},
			{Name: "name", Mandatory: true, Authored: "The name of the type."},
			{Name: "description", Authored: "What a disclosure of this type describes."},
			{
				Name: "categories", Type: "[]CategoryID", Mandatory: true, Needed: Everywhere,
				Served:   "The ids of all categories, in declaration order.",
				Authored: "The ids of all categories, in the order in which they are shown.",
			},
			{
				Name: "subchains", Needed: Everywhere,
				Authored: "Groups of categories that can occur several times in one disclosure.",
			},
			{Name: "sources", Authored: "The laws, standards and publications that the type is based on."},
			{Name: "locales", Type: "[]Locale", Authored: "All languages of the release, if meta.yaml does not list them."},
		},
	},
	{
		Name:   "Subchain",
		Served: "A sequence of categories that may occur several times in one datachain.",
		Rows: []*Field{
			{Name: "id", Type: "ID", Mandatory: true, Needed: Everywhere, Authored: "The id of the subchain."},
			{Name: "name", Mandatory: true, Authored: "The name of the subchain."},
			{Name: "categories", Type: "[]CategoryID", Mandatory: true, Authored: "The ids of its categories, in order."},
		},
	},
	{
		Name:     "Category",
		Served:   "A question about a system. Its elements are the possible answers.",
		Authored: "A question about a system. Its elements are the possible answers.",
		Rows: []*Field{
			{
				Name: "id", Type: "ID", Mandatory: true, Needed: Everywhere, Guide: "id",
				Authored: "The id of the category. The file should be named after it.",
			},
			{
				Name: "name", Mandatory: true, Needed: Everywhere, Guide: "name",
				Authored: "The name of the category, shown as a heading.",
			},
			{Name: "description", Mandatory: true, Needed: Everywhere, Authored: "What the category is about."},
			{
				Name: "shape", Mandatory: true, Needed: Everywhere,
				Served:   "The outline of its elements' icons.",
				Authored: "The outline of the icons of its elements.",
			},
			{
				Name: "prompt", Guide: "question",
				Served:   "The question, as put to an author.",
				Authored: "The question that the author of a disclosure answers.",
			},
			{
				Name: "guidance", Synonym: "authoring_guidance", Guide: "guidance",
				Served:   "Advice for authors of datachains.",
				Authored: "Advice for authors of disclosures.",
			},
			{
				Name: "required", Guide: "required",
				Served:   "Whether a datachain must place at least one of its elements.",
				Authored: "Whether every disclosure must use at least one element of the category. Default: false.",
			},
			{
				Name: "min_elements", Guide: "min",
				Served:   "The minimum number of placements, if the category has any.",
				Authored: "The minimum number of placements in a disclosure that has any in this category.",
			},
			{
				Name: "max_elements", Guide: "max",
				Served:   "The maximum number of placements. Absent: no maximum.",
				Authored: "The maximum number of placements in a disclosure. 0 or absent: no limit.",
			},
			{
				Name:     "sign",
				Served:   "Its rank on signs and at the top of pages: 1 is shown first. Absent: left out there, unless no category has a rank.",
				Authored: "Its rank on signs and at the top of pages: 1 is shown first. Categories without a rank are left out there, unless none has one.",
			},
			{
				Name: "context", Synonym: "element_context", Guide: "context",
				Authored: "An additional question about each placement. Its values are also icon variants.",
			},
			{
				Name: "variables", Synonym: "element_variables", Guide: "variables",
				Authored: "The values that each placement of an element provides, such as a duration.",
			},
			{
				Name: "order", Type: "Number",
				Served:   "The stewards' sort number. It does not affect the order of lists.",
				Authored: "A number that is published with the category. The order of categories is that of the list in datachain-type.yaml.",
			},
			{Name: "datachain_type", Type: "TypeID", Authored: "The id of the type. Must match the type of the release."},
			{Name: "sources", Authored: "The laws, standards and publications that the category is based on."},
			{Name: "examples", Authored: "Examples that show authors how to use the category."},
		},
	},
	{
		Name:   "Context",
		Served: "A question asked of each placement; context_type_id names the answer.",
		Rows: []*Field{
			{Name: "id", Type: "ID", Mandatory: true, Authored: "The id of the context."},
			{Name: "name", Mandatory: true, Guide: "name", Authored: "The question about each placement."},
			{Name: "description", Authored: "What the question is about."},
			{
				Name: "values", Mandatory: true, Needed: Everywhere, Guide: "values",
				Served:   "The answers. The first weighs most: signs and the top of pages prefer a placement with it.",
				Authored: "The possible answers. The first weighs most: signs and the top of pages show a placement with it rather than one with a later answer.",
			},
		},
	},
	{
		Name:   "ContextValue",
		Served: "One answer to the question of a context. It is also an icon variant.",
		Rows: []*Field{
			{
				Name: "id", Type: "ID", Mandatory: true, Needed: Everywhere, Guide: "id",
				Authored: "The id of the value. It names an icon variant, so it must not be default or dark.",
			},
			{
				Name: "label", Synonym: "name", Mandatory: true, Needed: Everywhere, Guide: "label",
				Authored: "The answer in a few words.",
			},
			{Name: "description", Guide: "description", Authored: "What the answer means."},
			{
				Name: "color", Type: "Color", Needed: Everywhere,
				Served:   "#000000 if the value has no colour of its own.",
				Authored: `The background of the icon, in quotes, such as "#2F6B3A". Without one, the value has the default icon.`,
			},
			{Name: "tinted", Served: "Whether the value has a colour of its own. If not, its icon is the default icon."},
			{
				Name: "max_placements", Guide: "max_placements",
				Served:   "The maximum number of placements with this value. Absent: no maximum.",
				Authored: "How many placements of a disclosure may have this value. 0 or absent: no limit.",
			},
			replacesRow("value"),
		},
	},
	{
		Name:     "Element",
		Served:   "One statement that a datachain can make.",
		Authored: "One statement that a disclosure can make.",
		Rows: []*Field{
			{
				Name: "id", Type: "ID", Mandatory: true, Needed: Everywhere, Guide: "id",
				Authored: "The id of the element. The file should be named after it. Documents refer to it, so it must keep its meaning.",
			},
			{
				Name: "category_id", Type: "CategoryID", Mandatory: true, Needed: Everywhere,
				Authored: "The id of the category that the element belongs to.",
			},
			{
				Name: "title", Mandatory: true, Needed: Everywhere, Guide: "title",
				Served:   "May contain variables, such as {{duration}}.",
				Authored: "The statement in a few words. May refer to variables of the category, such as {{duration}}.",
			},
			{
				Name: "description", Mandatory: true, Needed: InReleases, Guide: "description",
				Authored: "The statement in one or two sentences. May refer to variables of the category.",
			},
			{
				Name: "symbol_id", Type: "SymbolID", Mandatory: true, Needed: InReleases,
				Authored: "The symbol of its icons: the name of a file in symbols/, without .svg. Elements can share a symbol.",
			},
			{Name: "order", Type: "Number", Authored: "The position in the category. Elements without a number follow, sorted by id."},
			{
				Name: "required", Guide: "required",
				Served:   "Whether every datachain must place the element.",
				Authored: "Whether every disclosure must use the element. Default: false.",
			},
			{
				Name: "max_placements", Guide: "max_placements",
				Served:   "The maximum number of placements. Absent: no maximum.",
				Authored: "The maximum number of placements in a disclosure. 0 or absent: no limit.",
			},
			{
				Name: "excludes", Type: "[]ElementID", Guide: "excludes",
				Served:   "Elements that must not be placed beside it, nor it beside them.",
				Authored: "The ids of elements that contradict this one. It is enough if one of two elements lists the other.",
			},
			replacesRow("element"),
			{Name: "deprecated", Served: "Absent unless it should no longer be placed.", Authored: "Says that it should no longer be placed. Documents that do get a warning."},
			{
				Name: "keywords", SearchOnly: true,
				Served:   "Words that find the element in a search, one list for each locale. Absent if there are none.",
				Authored: "Other words for the element, with which a search finds it: a list for each locale, such as en: [CCTV]. Never part of a disclosure.",
			},
			{
				Name: "guidance", Synonym: "authoring_guidance", Guide: "guidance",
				Served:   "Advice for authors of datachains.",
				Authored: "Advice for authors of disclosures.",
			},
			{
				Name: "context", Synonym: "element_context", Guide: "context",
				Served:   "Replaces the context of the category.",
				Authored: "Replaces the context of the category for this element.",
			},
			{Name: "sources", Authored: "The laws, standards and publications that the element is based on."},
			{Name: "examples", Authored: "Examples that show authors how to use the element."},
			{Name: "shape", Served: "The shape of its category."},
			{
				Name: "icon_variants", Type: "[]ID", Needed: InReleases,
				Served: "default, dark, and the ids of its context's values.",
			},
			{Name: "variables", Needed: InReleases, Served: "The variables of its category."},
		},
	},
	{
		Name:   "Deprecation",
		Served: "Why an element should no longer be placed, and what to place instead.",
		Rows: []*Field{
			{Name: "since", Type: "Text", Authored: "The date, or the id of the version, from which on the element should not be placed."},
			{Name: "message", Authored: "Why the element should not be placed, and what to do. Needed unless use is given."},
			{Name: "use", Authored: "The id of the element to place instead, or a list of ids. They must be in the release and not be deprecated."},
		},
	},
	{
		Name:   "Variable",
		Served: "A value that a placement fills in.",
		Rows: []*Field{
			{
				Name: "id", Type: "ID", Mandatory: true, Needed: Everywhere, Guide: "id",
				Authored: "The id of the variable. Titles and descriptions refer to it in double braces.",
			},
			{Name: "label", Mandatory: true, Guide: "label", Authored: "The name of the value, shown beside it."},
			{
				Name: "required", Guide: "required",
				Served:   "Whether every placement must fill it in.",
				Authored: "Whether every placement must provide the value. Default: false.",
			},
			{
				Name: "required_for", Type: "[]ElementID", Guide: "required_for",
				Served:   "The elements whose placements must fill it in even if required is false. Only in categories; in an element, required takes it into account.",
				Authored: "The elements of the category whose placements must provide the value, if required is not true.",
			},
			{Name: "kind", Guide: "kind", Authored: "The kind of value. Default: " + string(DefaultKind) + "."},
			{
				Name: "options", Guide: "options",
				Served:   "The options to choose from. Absent if there are none.",
				Authored: "The options to choose from, for " + string(MultiSelectEnum) + ".",
			},
			{Name: "sources", Authored: "The laws, standards and publications that the variable is based on."},
			replacesRow("variable"),
		},
	},
	{
		Name: "Option",
		Rows: []*Field{
			{Name: "id", Type: "ID", Mandatory: true, Needed: Everywhere, Guide: "id", Authored: "The id of the option."},
			{Name: "name", Mandatory: true, Guide: "name", Authored: "The option in a few words."},
			{Name: "description", Authored: "What the option means."},
			{
				Name: "applies_to", Type: "[]ElementID", Guide: "applies_to",
				Served:   "The elements that may use the option. Absent: all elements of the category.",
				Authored: "The elements of the category that can use the option. Default: all.",
			},
			{
				Name: "guidance", Synonym: "authoring_guidance",
				Served:   "Advice for authors of datachains.",
				Authored: "Advice for authors of disclosures.",
			},
			{Name: "sources", Authored: "The laws, standards and publications that the option is based on."},
			{Name: "examples", Authored: "Examples that show authors how to use the option."},
			replacesRow("option"),
		},
	},
	{
		Name:   "Source",
		Served: "A reference to a law, standard or publication.",
		Rows: []*Field{
			{
				Name: "type", Type: "SourceType", Mandatory: true, Needed: Everywhere,
				Authored: "The kind of source, such as law or standard.",
			},
			{Name: "title", Type: "Text", Mandatory: true, Needed: Everywhere, Authored: "The title of the source."},
			{Name: "url", Type: "Text", Authored: "The web address of the source, beginning with http:// or https://."},
			{Name: "citation", Type: "Text", Authored: "Where in the source, or how to cite it."},
		},
	},
	{
		Name: "Example",
		Rows: []*Field{
			{Name: "scenario", Mandatory: true, Authored: "The situation."},
			{Name: "narrative", Mandatory: true, Authored: "How a disclosure describes the situation."},
		},
	},
}

// replacesRow returns the row of the ids that an item had in earlier versions.
func replacesRow(noun string) *Field {
	return &Field{
		Name:     "replaces",
		Served:   "The id that the " + noun + " had in earlier versions, or a list of ids if it replaces several.",
		Authored: "The id that the " + noun + " had in earlier versions, or a list of the ids that were merged into it. Documents that use an old id can be upgraded.",
	}
}
