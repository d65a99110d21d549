import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Conversation } from '../runtime.ts'

/**
 * The paths in a session's home. The CLI's configuration folder holds what the CLI treats as the user's: skills, hooks,
 * transcripts. Files that the driver passes by flag are beside it. Nothing is in the clone, where it could be committed.
 */
export function sessionPaths({ home }: Pick<Conversation, 'home'>) {
  const config = join(home, 'claude')
  const ours = join(home, 'yardmaster')
  return {
    config,
    projects: join(config, 'projects'),
    skills: join(config, 'skills'),
    userSettings: join(config, 'settings.json'),
    temporary: join(home, 'tmp'),
    ours,
    skillsManifest: join(ours, 'skills.json'),
    hooks: join(ours, 'hooks'),
    mcpServers: join(ours, 'mcp.json'),
    instructions: join(ours, 'instructions.md'),
    settings: join(ours, 'settings.json'),
    providerKey: join(ours, 'provider-key'),
    /** Where the CLI finds the login of the account that serves the turn. */
    login: join(ours, 'login'),
    /** Holds the id of the last conversation that had a transcript. */
    startedConversation: join(ours, 'conversation'),
  }
}

/**
 * The folder in which the CLI looks for the conversations of a working directory. The CLI has another rule for long paths; the
 * driver passes a conversation in any other folder by its path instead.
 */
export async function projectFolder(conversation: Conversation): Promise<string> {
  const directory = await realpath(conversation.workingDirectory)
  return join(sessionPaths(conversation).projects, directory.replace(/[^a-zA-Z0-9]/g, '-').slice(0, maxNameLength))
}

/** File systems allow 255 bytes. */
const maxNameLength = 200
