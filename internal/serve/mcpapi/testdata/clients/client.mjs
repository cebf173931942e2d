// Runs a session with one of the TypeScript clients: node client.mjs old|new URL
// It reads the tool calls and prompts from standard input and prints the responses as JSON.
import { text } from "node:stream/consumers";

const [, , generation, url] = process.argv;
const info = { name: "placard-test", version: "1.0.0" };
const input = JSON.parse(await text(process.stdin));

async function connect() {
  if (generation === "old") {
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
const responses = { version, server: client.getServerVersion(), instructions: client.getInstructions(), calls: {}, prompts: {} };
responses.tools = (await client.listTools()).tools.map((tool) => tool.name);
for (const { name, arguments: args } of input.calls) {
  // The client rejects results that do not match the tool's output schema.
  const { content, structuredContent, isError, _meta } = await client.callTool({ name, arguments: args });
  responses.calls[name] = { ok: structuredContent.ok, isError: isError ?? false, texts: content.length, meta: Object.keys(_meta ?? {}) };
}
responses.resources = (await client.listResources()).resources.map((resource) => resource.uri);
responses.templates = (await client.listResourceTemplates()).resourceTemplates;
responses.view = (await client.readResource({ uri: responses.resources[0] })).contents[0].text;
responses.promptNames = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
for (const { name, arguments: args } of input.prompts) {
  responses.prompts[name] = (await client.getPrompt({ name, arguments: args })).messages.length;
}
const { completion } = await client.complete({
  ref: { type: "ref/prompt", name: "describe_system" },
  argument: { name: "version", value: "place@l" },
});
responses.completions = completion.values;
responses.unknown = await client.callTool({ name: "no_such_tool", arguments: {} }).then(() => "success", (error) => error.code);
await client.close();
console.log(JSON.stringify(responses));
