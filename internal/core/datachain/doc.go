// Package datachain parses, validates and resolves datachains, the documents
// written in a taxonomy: thin documents, and resolved documents, which contain
// the part of the schema they use. It knows nothing about HTTP or stores.
//
// [Parse] returns an error if its input is not strict JSON, and a [Report] with
// a parse_error for every value of the wrong type. [Validate], [Resolve] and
// [ValidateResolved] check a parsed document against a [Schema], which is built
// once from a taxonomy. [Rules] returns the rules they check.
//
// # Decisions
//
// Where the contract is silent:
//
//   - Strings may be empty. An empty id is an id.
//   - instance_version is a string or a number. Neither it nor updated_at has a
//     default; the other optional members of a document default to [].
//   - An integer may be written 3, 3.0 or 3e0.
//   - A variable's value that is neither a localized string nor an array of
//     strings is a parse_error; a value of the wrong kind is
//     INSTANCE_VARIABLE_VALUE_SHAPE. The empty array is of either kind.
//   - A category's min_elements and max_elements count placements. An element
//     with too many placements is reported once, at the first one above the
//     limit.
//   - head_refs of a subchain instance refer to elements, or to placements by
//     their element_instance_id. Elements they refer to are part of the snapshot.
//   - A resolved document must have a schema_snapshot, whose parts must have
//     every field listed in the contract. A suggested element needs only id,
//     title and category_id, because it has no symbol yet.
//   - An element of a resolved document has its own variables and those of its
//     category; for the same id, its own take precedence.
//   - The category of a suggested element must exist but need not be in the
//     snapshot. A suggested element must not replace an element of the pinned release: the
//     missing element is reported as drift.
//   - Suggested elements must not share an id with each other or with an element
//     of the snapshot.
//   - Messages quote at most 80 bytes of a value, and paths at most 200 bytes of a
//     name, followed by an ellipsis.
package datachain
