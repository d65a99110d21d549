import { join } from 'node:path'
import { z } from 'zod'
import { readUntrusted } from '../../platform/files/untrusted-file.ts'
import { removeUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Conversation } from '../runtime.ts'

/** The link from a conversation to the agent's session. Without it the agent does not know the conversation. */
export type SessionLink = {
  conversation: string
  /** The agent's session of the last turn. */
  session: string
  /** Of the instructions that this session got. */
  instructionsDigest: string
  /** A prompt that is being sent. After a crash it is unknown whether the agent received it. */
  undelivered?: string | undefined
}

const LinkFile = z.object({
  conversation: z.string(),
  session: z.string(),
  instructionsDigest: z.string(),
  undelivered: z.string().optional(),
})

/** Earlier versions wrote these names. */
const OldLinkFile = LinkFile.omit({ instructionsDigest: true, undelivered: true })
  .extend({ told: z.string(), unheard: z.string().optional() })
  .transform(({ told, unheard, ...link }) => ({ ...link, instructionsDigest: told, undelivered: unheard }))

export async function readLink(conversation: Conversation): Promise<SessionLink | undefined> {
  const text = await readUntrusted(pathOf(conversation), { within: conversation.home })
  if (text === undefined) return undefined
  const link = LinkFile.or(OldLinkFile).parse(JSON.parse(text))
  return link.conversation === conversation.id ? link : undefined
}

export async function writeLink(conversation: Conversation, link: SessionLink): Promise<void> {
  const text = JSON.stringify(link satisfies z.infer<typeof LinkFile>)
  await writeUntrusted(pathOf(conversation), text, { within: conversation.home })
}

/** For a conversation that was rewritten: the agent's session no longer matches it. */
export async function removeLink(conversation: Conversation): Promise<void> {
  await removeUntrusted(pathOf(conversation), { within: conversation.home })
}

function pathOf({ home }: Conversation): string {
  return join(home, 'acp-session.json')
}
