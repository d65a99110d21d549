import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

// A program of its own: vitest resolves the condition `source`, by which a dependency of the client offers TypeScript.
const [address, key] = process.argv.slice(2)
const client = new Client({ name: 'test', version: '1' })
await client.connect(
  new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers: { 'x-api-key': key } } }),
)
const { tools } = await client.listTools()
const answer = await client.callTool({ name: 'manage_categories', arguments: { action: 'list' } })
process.stdout.write(
  JSON.stringify({ instructions: client.getInstructions(), tools: tools.map(({ name }) => name), answer }),
)
await client.close()
