// A language server for JSON: the language service of VS Code, connected to
// standard input and output. The initialization option "schema" is the URL of the
// schema of all documents.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(process.argv[2] + "/");
const { createConnection, TextDocuments, TextDocumentSyncKind } = require("vscode-languageserver/node");
const { getLanguageService, TextDocument } = require("vscode-json-languageservice");

const connection = createConnection(process.stdin, process.stdout);
const documents = new TextDocuments(TextDocument);
const service = getLanguageService({ schemaRequestService: (url) => readFile(new URL(url), "utf8") });

connection.onInitialize(({ initializationOptions }) => {
  service.configure({ validate: true, schemas: [{ fileMatch: ["*"], uri: initializationOptions.schema }] });
  return { capabilities: { textDocumentSync: TextDocumentSyncKind.Full, completionProvider: {}, hoverProvider: true } };
});

const parsed = (uri) => {
  const document = documents.get(uri);
  return [document, service.parseJSONDocument(document)];
};

documents.onDidChangeContent(async ({ document: { uri } }) => {
  const [document, json] = parsed(uri);
  connection.sendDiagnostics({ uri, diagnostics: await service.doValidation(document, json) });
});
connection.onCompletion(({ textDocument, position }) => {
  const [document, json] = parsed(textDocument.uri);
  return service.doComplete(document, position, json);
});
connection.onHover(({ textDocument, position }) => {
  const [document, json] = parsed(textDocument.uri);
  return service.doHover(document, position, json);
});

documents.listen(connection);
connection.listen();
