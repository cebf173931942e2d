// Package datachain reads, checks and resolves the documents people write in a
// taxonomy: thin instances, and resolved ones that carry the part of the schema
// they use. It knows neither HTTP nor stores; what it checks against is a
// [Schema], made once from a taxonomy.
//
// [Parse] turns bytes into a [Document]. What is not strict JSON is an error;
// what is JSON of the wrong shape is a [Report] of parse_error findings, every
// one of them and each once. [Validate], [Resolve] and [ValidateResolved] run
// the rules of the table that [Rules] returns over a document whose shape is
// right.
//
// # Choices
//
// Where the service's contract is silent:
//
//   - Strings are not asked to be non-empty. An empty id is an id.
//   - instance_version is a string or a number. It and updated_at have no
//     default: there is no value that would be true of a document that does not
//     say. The other optional members of a document default to [].
//   - A whole number may be spelt 3, 3.0 or 3e0.
//   - A variable's value that is neither a localized string nor an array of
//     strings is a shape error; one of the two that is not the variable's is
//     INSTANCE_VARIABLE_VALUE_SHAPE. The empty array is both.
//   - A category's min_elements and max_elements count placements. An element
//     that is placed too often is reported once, at the first placement too many.
//   - head_refs of a subchain instance name elements, or placements by their
//     element_instance_id. They are looked up as a placement's element_id is,
//     and the elements they name are part of the snapshot.
//   - In a resolved document, schema_snapshot is required, and its parts have
//     every field that the contract shows. A suggested element needs only id,
//     title and category_id, because who proposes one has no symbol yet.
//   - An element of a resolved document has the variables it lists and those
//     its category lists; for the same id its own count.
//   - The category of a suggested element need not be in the snapshot. A
//     suggested element may not take the place of an element that the pinned
//     release has: that the snapshot lacks it is drift.
//   - Two suggested elements of the same id collide as a suggested element and
//     one of the snapshot do.
//   - ValidateResolved only looks for errors. The one warning it may return,
//     beside more than 200 of them, is findings_truncated.
//   - Messages quote at most the first 80 bytes of a value, and paths
//     have at most the first 200 of a name, followed by an ellipsis.
package datachain
