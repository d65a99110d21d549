import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { errnoOf } from '../../platform/process/errno.ts'
import type { Conversation } from '../runtime.ts'

const SessionLink = z.object({
  conversation: z.string(),
  /** The agent's own session in which it was continued last. */
  session: z.string(),
  /** Which instructions it has been given there. */
  told: z.string(),
  /** A message on its way: if we die now, nobody knows whether the agent has it. */
  unheard: z.string().optional(),
})
export type SessionLink = z.infer<typeof SessionLink>

/** What ties a conversation of ours to a session of the agent's. Without it the agent knows nothing of the conversation. */
export async function readLink(conversation: Conversation): Promise<SessionLink | undefined> {
  const text = await readFile(pathOf(conversation), 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const link = SessionLink.parse(JSON.parse(text))
  return link.conversation === conversation.id ? link : undefined
}

export async function writeLink(conversation: Conversation, link: SessionLink): Promise<void> {
  const path = pathOf(conversation)
  const draft = `${path}.partial`
  await writeFile(draft, JSON.stringify(link), { mode: 0o600 })
  await rename(draft, path)
}

/** The conversation was continued elsewhere, or is another one now: the agent's session no longer is what it was. */
export async function removeLink(conversation: Conversation): Promise<void> {
  await rm(pathOf(conversation), { force: true })
}

function pathOf({ home }: Conversation): string {
  return join(home, 'acp-session.json')
}
