import { join } from 'node:path'
import { readUntrusted, UntrustedFile } from '../../platform/files/untrusted-file.ts'
import { writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { McpServer } from '../equipment.ts'
import { foldersUpToRepository } from '../repository-folders.ts'
import type { Conversation } from '../runtime.ts'
import { fieldsOf, parseFields } from './fields.ts'
import { sessionPaths } from './session-paths.ts'

export async function equipMcpServers(conversation: Conversation, servers: readonly McpServer[]): Promise<string[]> {
  const mcpServers = Object.fromEntries(servers.map((server) => [server.name, entryOf(server)]))
  const file = sessionPaths(conversation).mcpServers
  await writeUntrusted(file, JSON.stringify({ mcpServers }, null, 2), { within: conversation.home })
  return sentencesAboutRepository(conversation, new Set(servers.map(({ name }) => name)))
}

function entryOf(server: McpServer): unknown {
  if (server.kind === 'stdio') return { type: 'stdio', command: server.command, args: server.args, env: server.env }
  return { type: server.kind, url: server.url, headers: server.headers }
}

/** The repository's `.mcp.json` is read only to tell people what it names. */
async function sentencesAboutRepository(
  { workingDirectory }: Conversation,
  used: ReadonlySet<string>,
): Promise<string[]> {
  const unused = new Set<string>()
  const folders = await foldersUpToRepository(workingDirectory)
  const within = folders.at(-1) ?? workingDirectory
  const unread: string[] = []
  for (const folder of folders) {
    try {
      const text = await readUntrusted(join(folder, '.mcp.json'), { within })
      const servers = fieldsOf(text === undefined ? undefined : parseFields(text)?.mcpServers) ?? {}
      for (const name of Object.keys(servers)) if (!used.has(name)) unused.add(name)
    } catch (error) {
      if (!(error instanceof UntrustedFile)) throw error
      unread.push(`The repository's .mcp.json is not read: ${error.message}.`)
    }
  }
  if (unused.size === 0) return unread
  const names = [...unused].join(', ')
  return [...unread, `The repository's .mcp.json is not used. Add the servers that the session needs: ${names}.`]
}
