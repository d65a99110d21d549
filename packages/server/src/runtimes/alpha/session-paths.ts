import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Conversation } from '../runtime.ts'

/**
 * Where things are in a session's home. What the CLI reads as the user's own (skills, hooks, transcripts) is in its
 * configuration folder; what we hand it by flag is beside that. Nothing is in the clone, so nothing of ours gets into
 * anybody's commits.
 */
export function placesOf({ home }: Conversation) {
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
    /** Holds the id of the last conversation that had a transcript. */
    begun: join(ours, 'conversation'),
  }
}

/**
 * The folder in which the CLI looks for the conversations of a working directory. Its rule has an exception for long
 * paths, which is not repeated here: a conversation that lies elsewhere is handed over by its path.
 */
export async function projectFolder(conversation: Conversation): Promise<string> {
  const directory = await realpath(conversation.workingDirectory)
  return join(placesOf(conversation).projects, directory.replace(/[^a-zA-Z0-9]/g, '-').slice(0, longestName))
}

/** The file system takes 255 bytes. */
const longestName = 200
