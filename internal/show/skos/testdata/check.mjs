// Parses the files <name>.ttl and <name>.jsonld in a folder and checks that both are
// the same graph and keep the integrity conditions of SKOS
// (https://www.w3.org/TR/skos-reference/).
//
//   node check.mjs NPM-FOLDER FOLDER BASE
//
// Prints an object with the problems and the statements of each name. A graph that has
// no .jsonld is only checked.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [npm, folder, base] = process.argv.slice(2);
const require = createRequire(path.join(npm, "package.json"));
const { Parser, Store, Writer } = require("n3");
const jsonld = require("jsonld");

const skos = "http://www.w3.org/2004/02/skos/core#";
const rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

const results = {};
for (const file of fs.readdirSync(folder).filter((name) => name.endsWith(".ttl"))) {
  const name = path.basename(file, ".ttl");
  const quads = lowerCaseTags(parse(fs.readFileSync(path.join(folder, file), "utf8"), base + file));
  const problems = integrity(new Store(quads));
  const twin = path.join(folder, name + ".jsonld");
  if (fs.existsSync(twin)) {
    const document = JSON.parse(fs.readFileSync(twin, "utf8"));
    // jsonld.js 9 takes a base with an @ in its path for one with a user name.
    const other = await jsonld.toRDF(document, {
      base: base.replace("@", "%40") + name + ".jsonld", format: "application/n-quads", safe: true,
    });
    if ((await canonical(quads)) !== (await canonical(lowerCaseTags(new Parser({ format: "N-Quads" }).parse(other))))) {
      problems.push("The two documents are different graphs.");
    }
  }
  results[name] = {
    problems,
    statements: quads.map(({ subject, predicate, object }) => ({
      subject: subject.value,
      predicate: predicate.value,
      object: object.value,
      language: object.language ?? "",
      datatype: object.datatype?.value ?? "",
      isBlank: subject.termType === "BlankNode" || object.termType === "BlankNode",
    })),
  };
}
process.stdout.write(JSON.stringify(results));

function parse(text, baseIRI) {
  return new Parser({ baseIRI, format: "text/turtle" }).parse(text);
}

// Language tags are case-insensitive, and parsers may return them in lower case.
function lowerCaseTags(quads) {
  for (const { object } of quads) {
    if (object.language) object.id = object.id.replace(/@[a-z0-9-]+$/i, (tag) => tag.toLowerCase());
  }
  return quads;
}

function canonical(quads) {
  let text;
  const writer = new Writer({ format: "N-Quads" });
  writer.addQuads(quads);
  writer.end((error, result) => (text = result));
  return jsonld.canonize(text, { inputFormat: "application/n-quads", algorithm: "RDFC-1.0", safe: true });
}

function integrity(store) {
  const problems = [];
  const check = (ok, condition, ...terms) => {
    if (!ok) problems.push(`${condition}: ${terms.map((term) => term.value ?? term).join(", ")}`);
  };
  const isA = (term, ...classes) => classes.some((name) => store.countQuads(term, rdf + "type", skos + name) > 0);
  const subjects = (name) => store.getSubjects(rdf + "type", skos + name, null);
  const pairs = (name) => store.getQuads(null, skos + name, null, null).map(({ subject, object }) => [subject, object]);

  for (const concept of subjects("Concept")) {
    check(!isA(concept, "ConceptScheme"), "S9", concept);
    check(!isA(concept, "Collection", "OrderedCollection"), "S37", concept);
    const schemes = ["inScheme", "topConceptOf"].flatMap((name) => store.getObjects(concept, skos + name, null));
    check(schemes.some((scheme) => isA(scheme, "ConceptScheme")), "no scheme", concept);
  }
  for (const collection of [...subjects("Collection"), ...subjects("OrderedCollection")]) {
    check(!isA(collection, "ConceptScheme"), "S37", collection);
  }

  const labels = ["prefLabel", "altLabel", "hiddenLabel"];
  for (const resource of store.getSubjects(null, null, null)) {
    const seen = new Map();
    for (const name of labels) {
      for (const label of store.getObjects(resource, skos + name, null)) {
        check(!seen.has(label.id) || seen.get(label.id) === name, "S13", resource, label);
        seen.set(label.id, name);
      }
    }
    const tags = store.getObjects(resource, skos + "prefLabel", null).map(({ language }) => language);
    check(new Set(tags).size === tags.length, "S14", resource);
  }

  const broader = closure([
    ...["broader", "broaderTransitive", "broadMatch"].flatMap(pairs),
    ...["narrower", "narrowerTransitive", "narrowMatch"].flatMap(pairs).map(([a, b]) => [b, a]),
  ]);
  for (const [a, b] of symmetric([...pairs("related"), ...pairs("relatedMatch")])) {
    check(!broader.get(a.id)?.has(b.id), "S27", a, b);
  }

  const exact = closure(symmetric(pairs("exactMatch")));
  for (const [a, b] of [...pairs("broadMatch"), ...pairs("narrowMatch"), ...pairs("relatedMatch")]) {
    check(!exact.get(a.id)?.has(b.id), "S46", a, b);
  }

  const notations = new Map();
  for (const [concept, notation] of pairs("notation")) {
    check(!notations.has(notation.id), "notation", concept, notation);
    notations.set(notation.id, concept);
  }

  const lists = store.extractLists();
  for (const [collection, head] of pairs("memberList")) {
    const listed = lists[head.value]?.map(({ id }) => id) ?? [];
    const members = store.getObjects(collection, skos + "member", null).map(({ id }) => id);
    check(listed.length === members.length && listed.every((id) => members.includes(id)), "S36", collection);
    for (const id of listed) check(isA(id, "Concept"), "member", collection, id);
  }
  return problems;
}

function symmetric(pairs) {
  return pairs.flatMap(([a, b]) => [[a, b], [b, a]]);
}

// Returns the resources that can be reached from each resource.
function closure(pairs) {
  const next = new Map();
  for (const [a, b] of pairs) {
    if (!next.has(a.id)) next.set(a.id, new Set());
    next.get(a.id).add(b.id);
  }
  const reached = new Map();
  for (const start of next.keys()) {
    const found = new Set();
    const waiting = [...next.get(start)];
    while (waiting.length > 0) {
      const id = waiting.pop();
      if (found.has(id)) continue;
      found.add(id);
      waiting.push(...(next.get(id) ?? []));
    }
    reached.set(start, found);
  }
  return reached;
}
