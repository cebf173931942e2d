// A session of one of the TypeScript clients: node client.mjs old|new URL
// It reads from standard input what to ask for, and prints all it was answered.
import { text } from "node:stream/consumers";

const [, , era, url] = process.argv;
const info = { name: "placard-test", version: "1.0.0" };
const wanted = JSON.parse(await text(process.stdin));

async function connect() {
  if (era === "old") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client(info);
    const transport = new StreamableHTTPClientTransport(new URL(url));
    await client.connect(transport);
    return { client, version: transport.protocolVersion };
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(info, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return { client, version: client.getNegotiatedProtocolVersion() };
}

const { client, version } = await connect();
const answers = { version, server: client.getServerVersion(), instructions: client.getInstructions(), calls: {}, prompts: {} };
answers.tools = (await client.listTools()).tools.map((tool) => tool.name);
for (const { name, arguments: given } of wanted.calls) {
  // The client itself refuses results that do not fit the tool's output schema.
  const { content, structuredContent, isError, _meta } = await client.callTool({ name, arguments: given });
  answers.calls[name] = { ok: structuredContent.ok, isError: isError ?? false, texts: content.length, meta: Object.keys(_meta ?? {}) };
}
answers.resources = (await client.listResources()).resources.map((resource) => resource.uri);
answers.templates = (await client.listResourceTemplates()).resourceTemplates;
answers.view = (await client.readResource({ uri: answers.resources[0] })).contents[0].text;
answers.listed = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
for (const { name, arguments: given } of wanted.prompts) {
  answers.prompts[name] = (await client.getPrompt({ name, arguments: given })).messages.length;
}
const { completion } = await client.complete({
  ref: { type: "ref/prompt", name: "describe_system" },
  argument: { name: "version", value: "place@l" },
});
answers.completions = completion.values;
answers.unknown = await client.callTool({ name: "no_such_tool", arguments: {} }).then(() => "answered", (error) => error.code);
await client.close();
console.log(JSON.stringify(answers));
