// Talks to an MCP server with a real client and prints one JSON object.
//
//   node read.mjs --client legacy|modern (--stdio COMMAND | --http URL) [URI...]
//
// legacy is the client of the revisions with sessions, modern the one of
// 2026-07-28, pinned to it. COMMAND is split at spaces, or a JSON array.
//
// Printed: client, protocolVersion, server, capabilities, instructions,
// templates, resources, tools, prompts, reads (in the order of the URIs, each
// with result or error {code, message, data}) and problems: what the client
// complained about beside its calls.

import { parseArgs } from 'node:util';

const { values, positionals: uris } = parseArgs({
  allowPositionals: true,
  options: {
    client: { type: 'string' },
    stdio: { type: 'string' },
    http: { type: 'string' },
  },
});

const { client, transport } = await open();
const problems = [];
client.onerror = (error) => problems.push(String(error?.message ?? error));
let protocolVersion = null;
const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  protocolVersion = version;
  setProtocolVersion?.(version);
};
await client.connect(transport);

const out = {
  client: values.client,
  protocolVersion: client.getNegotiatedProtocolVersion?.() ?? protocolVersion,
  server: client.getServerVersion() ?? null,
  capabilities: client.getServerCapabilities() ?? null,
  instructions: client.getInstructions() ?? null,
  templates: await all('resourceTemplates', (p) => client.listResourceTemplates(p)),
  resources: await all('resources', (p) => client.listResources(p)),
  tools: await all('tools', (p) => client.listTools(p)),
  prompts: await all('prompts', (p) => client.listPrompts(p)),
  reads: [],
  problems,
};
for (const uri of uris) {
  try {
    out.reads.push({ uri, result: await client.readResource({ uri }) });
  } catch (error) {
    out.reads.push({ uri, error: { code: error.code ?? null, message: error.message, data: error.data ?? null } });
  }
}
await client.close();
console.log(JSON.stringify(out, null, 2));

// open returns a client of the wanted generation and its transport.
async function open() {
  const info = { name: 'mcpdecl-test', version: '1' };
  let lib, client;
  switch (values.client) {
    case 'legacy': {
      const root = '@modelcontextprotocol/sdk/client';
      const { Client } = await import(`${root}/index.js`);
      const { StdioClientTransport } = await import(`${root}/stdio.js`);
      const { StreamableHTTPClientTransport } = await import(`${root}/streamableHttp.js`);
      lib = { StdioClientTransport, StreamableHTTPClientTransport };
      client = new Client(info);
      break;
    }
    case 'modern': {
      const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
      const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
      lib = { StdioClientTransport, StreamableHTTPClientTransport };
      client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
      break;
    }
    default:
      fail('--client is legacy or modern');
  }
  if (!values.stdio === !values.http) fail('one of --stdio and --http is needed');
  if (values.http) {
    return { client, transport: new lib.StreamableHTTPClientTransport(new URL(values.http)) };
  }
  const [command, ...args] = values.stdio.startsWith('[') ? JSON.parse(values.stdio) : values.stdio.split(' ');
  // The clients pass on next to nothing of the environment by themselves.
  const transport = new lib.StdioClientTransport({ command, args, env: { ...process.env }, stderr: 'inherit' });
  return { client, transport };
}

// all follows the cursors of a list to its end.
async function all(field, list) {
  const entries = [];
  let cursor;
  do {
    const page = await list(cursor === undefined ? {} : { cursor });
    entries.push(...page[field]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return entries;
}

function fail(message) {
  console.error(`read.mjs: ${message}`);
  process.exit(2);
}
