import { stat } from 'node:fs/promises'
import { give } from '../files/give.ts'
import type { SystemUser } from '../home/system-user.ts'

/** What the programs of an agent may write. Both belong to the user that they run as. */
export type AgentFolders = {
  /** Where the agent works. */
  work: string
  /** The agent's home. */
  home: string
}

/**
 * As root we make the folders of a session, and its agent, another user, works in them. The folder's own owner tells
 * whether that was done before: with an earlier version, or an earlier AGENT_USER, it was not. What we add to a folder that
 * was handed over belongs to its owner at once.
 */
export async function handOver({ work, home }: AgentFolders, user: SystemUser | undefined): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const to = { uid: user?.uid ?? 0, gid: user?.gid ?? 0 }
  for (const folder of new Set([work, home])) {
    const { uid: owner } = await stat(folder)
    if (owner !== to.uid) await give(folder, to, [0, owner])
  }
}
