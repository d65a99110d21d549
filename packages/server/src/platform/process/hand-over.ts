import { stat } from 'node:fs/promises'
import { giveFolder } from '../files/give-folder.ts'
import type { SystemUser } from '../home/system-user.ts'

/** What the programs of an agent may write. Both belong to the user that they run as. */
export type AgentFolders = {
  /** Where the agent works. The server does not change it between turns. */
  work: string
  /** The agent's home. The server prepares files in it before every turn. */
  home: string
}

/**
 * As root we make the files of a session, and its agent, another user, works with them. The folder's own owner tells
 * whether that was done before: with an earlier version, or an earlier AGENT_USER, it was not.
 */
export async function handOver({ work, home }: AgentFolders, user: SystemUser | undefined): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const to = { uid: user?.uid ?? 0, gid: user?.gid ?? 0 }
  for (const folder of new Set([work, home])) {
    const { uid: owner } = await stat(folder)
    if (owner !== to.uid || (folder === home && to.uid !== 0)) await giveFolder(folder, to, [0, owner])
  }
}
