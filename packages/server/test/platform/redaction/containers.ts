import type { Seeded } from './seeded.ts'

/** A context in which a secret occurs. `name` is its name there; structural kinds bring their own line. */
export type Container = { name: string; wrap(named: { name: string; value: string }, random: Seeded): string }

/** Contexts that assign a value to a name. */
export const namedContainers: readonly Container[] = [
  { name: 'env file', wrap: ({ name, value }) => `# settings\nPORT=3000\n${name}=${value}\nLOG_LEVEL=info\n` },
  { name: 'quoted env file', wrap: ({ name, value }) => `export ${name}="${value}"\nexport EDITOR=vi\n` },
  { name: 'JSON', wrap: ({ name, value }) => JSON.stringify({ port: 3000, [name]: value, on: true }, null, 2) },
  {
    name: 'JSON in JSON',
    wrap: ({ name, value }) =>
      JSON.stringify({ ok: true, body: JSON.stringify({ data: { [camel(name)]: value, n: 1 } }) }),
  },
  {
    name: 'JSON in JSON in prose',
    wrap: ({ name, value }) =>
      `The answer was ${JSON.stringify(JSON.stringify({ [name.toLowerCase()]: value }))}, as expected.`,
  },
  {
    name: 'YAML',
    wrap: ({ name, value }) => `service:\n  port: 80\n  ${name.toLowerCase()}: ${value}\n  replicas: 2\n`,
  },
  {
    name: 'curl command',
    wrap: ({ name, value }) => `curl -s https://api.test/v1 -d '{"${name.toLowerCase()}": "${value}"}'`,
  },
  {
    name: 'URL',
    wrap: ({ name, value }) =>
      `GET https://api.test/v1/things?page=2&${name.toLowerCase()}=${encodeURIComponent(value)}&sort=asc`,
  },
  {
    name: 'log line with ANSI',
    wrap: ({ name, value }) =>
      `\u001b[2m12:00:01\u001b[0m \u001b[32mINFO\u001b[0m \u001b[1m${name}\u001b[0m=\u001b[33m${value}\u001b[0m`,
  },
  { name: 'diff', wrap: ({ name, value }) => `@@ -1,2 +1,3 @@\n PORT=3000\n+${name}=${value}\n-DEBUG=1\n` },
  { name: 'Dockerfile', wrap: ({ name, value }) => `FROM node:20\nENV ${name} ${value}\nRUN npm ci\n` },
  {
    name: 'base64 block',
    wrap: ({ name, value }) => wrapped(Buffer.from(`PORT=3000\n${name}=${value}\nLOG_LEVEL=info\n`).toString('base64')),
  },
  {
    name: 'Markdown code block',
    wrap: ({ name, value }) => `Set it first:\n\n\`\`\`sh\n${name}='${value}' npm start\n\`\`\`\n`,
  },
  {
    name: 'source code',
    wrap: ({ name, value }) => `const port = 3000\nconst ${camel(name)} = '${value}'\nexport { port }\n`,
  },
  {
    name: 'numbered file',
    wrap: ({ name, value }) => `     1\u2192PORT=3000\n     2\u2192${name}=${value}\n     3\u2192\n`,
  },
  { name: 'typed code', wrap: ({ name, value }) => `    ${camel(name)}: str = "${value}"\n` },
]

/** Contexts in which a secret occurs without a name. */
export const bareContainers: readonly Container[] = [
  { name: 'prose', wrap: ({ value }) => `I found ${value} in the build log, please rotate it.` },
  { name: 'parenthesis', wrap: ({ value }) => `the old one (${value}) still works` },
  {
    name: 'HTTP headers',
    wrap: ({ value }) => `GET /v1 HTTP/1.1\r\nHost: api.test\r\nX-Thing: ${value}\r\nAccept: */*\r\n\r\n`,
  },
  { name: 'URL path', wrap: ({ value }) => `https://api.test/v1/${encodeURIComponent(value)}/items` },
  { name: 'after an escape', wrap: ({ value }) => `"first\\n${value.replaceAll('\\', '\\\\')}\\nlast"` },
  { name: 'colour before it', wrap: ({ value }) => `using \u001b[36m${value}\u001b[39m now` },
  {
    name: 'colour inside it',
    wrap: ({ value }) => `using ${value.slice(0, 12)}\u001b[1m${value.slice(12)}\u001b[0m now`,
  },
  { name: 'object key', wrap: ({ value }) => JSON.stringify({ cache: { [value]: 'seen' } }) },
  {
    name: 'percent-encoded',
    wrap: ({ value }) => `redirect=https%3A%2F%2Fx.test%2F%3Fq%3D${encodeURIComponent(value)}`,
  },
  { name: 'table', wrap: ({ value }) => `| name | value |\n|---|---|\n| one | ${value} |\n` },
]

/** A line of a transcript with the text where an agent's tools put it. */
export function transcriptLine(text: string, random: Seeded): string {
  const entry = {
    type: 'user',
    uuid: random.uuid(),
    parentUuid: random.uuid(),
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_01${random.alnum(22)}`, content: text }],
    },
    toolUseResult: { stdout: text, stderr: '', interrupted: false },
    timestamp: '2026-01-02T03:04:05.678Z',
  }
  return JSON.stringify(entry)
}

function wrapped(base64: string): string {
  return base64.replace(/.{76}/g, '$&\n')
}

function camel(name: string): string {
  return name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Contexts for text that brings its own framing. */
export const lineContainers: readonly { name: string; wrap(line: string): string }[] = [
  { name: 'plain', wrap: (line) => line },
  { name: 'among other lines', wrap: (line) => `before\n${line}\nafter` },
  { name: 'JSON', wrap: (line) => JSON.stringify({ exit: 0, output: line }) },
  { name: 'JSON in JSON', wrap: (line) => JSON.stringify({ body: JSON.stringify({ lines: [line, 'x'] }) }) },
  { name: 'log line with ANSI', wrap: (line) => `\u001b[2m12:00:01\u001b[0m \u001b[32m${line}\u001b[0m` },
  { name: 'diff', wrap: (line) => `@@ -1 +1 @@\n${line.replace(/^/gm, '+')}\n` },
  { name: 'Markdown code block', wrap: (line) => `Like so:\n\`\`\`\n${line}\n\`\`\`\n` },
  {
    name: 'base64 block',
    wrap: (line) => wrapped(Buffer.from(`# notes\n${line}\n# end of the notes\n`).toString('base64')),
  },
  { name: 'shell transcript', wrap: (line) => `$ cat notes\n${line}\n$ ` },
  { name: 'quoted mail', wrap: (line) => line.replace(/^/gm, '> ') },
  { name: 'indented', wrap: (line) => line.replace(/^/gm, '    ') },
]
