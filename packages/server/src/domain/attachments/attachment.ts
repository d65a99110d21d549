import { randomBytes } from 'node:crypto'
import type { Attachment, NewAttachment } from '@yardmaster/contract/attachments/fields'
import { attachmentName, referenceOf, referencesIn } from '@yardmaster/contract/attachments/reference'
import { limits } from '@yardmaster/contract/limits'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import {
  type AttachmentRow,
  claimForSession,
  deleteAttachment,
  describeAttachment,
  insertAttachment,
  selectAttachment,
  selectAttachmentsFor,
  sumAttachments,
} from './attachment-store.ts'

/**
 * The face of the room. A prompt stays text and names a file by its reference, so a file needs no place of its own in turns,
 * queues, returns and restarts.
 */
export type { AttachmentRow } from './attachment-store.ts'

export async function createAttachment(app: App, request: NewAttachment): Promise<Attachment> {
  const content = decode(request.content)
  // Uploads at the same moment may exceed the limit by a few files. It only protects the disk.
  const { totalBytes, countedBytes } = limits.attachment
  const storedBytes = await sumAttachments(app.db, countedBytes)
  if (storedBytes + Math.max(content.length, countedBytes) > totalBytes)
    refuse('too_many_attachments', [
      `The files of all sessions may have ${totalBytes / 1024 ** 3} GB`,
      'Delete sessions whose files are no longer needed, or archive them: their files go with the trash',
    ])
  const id = randomBytes(12).toString('hex')
  const name = attachmentName(request.name)
  return present(await insertAttachment(app.db, { id, name, content, size_bytes: content.length }))
}

/** Node skips what is not base64, so a shorter result says that something was. */
function decode(text: string): Buffer {
  const content = Buffer.from(text, 'base64')
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  if (text.length % 4 !== 0 || content.length !== (text.length / 4) * 3 - padding)
    refuse('validation_failed', 'Content must be base64')
  if (content.length > limits.attachment.bytes)
    refuse('validation_failed', `Content is too large (maximum is ${limits.attachment.bytes / 1024 ** 2} MB)`)
  return content
}

export async function showAttachment(
  app: App,
  id: string,
  turnToAnswer: (bytes: number) => Promise<void>,
): Promise<{ attachment: Attachment; content: string }> {
  const { size_bytes: bytes } = (await describeAttachment(app.db, id)) ?? refuseMissing()
  await turnToAnswer(Math.ceil(bytes / 3) * 4)
  const { content, ...row } = (await selectAttachment(app.db, id)) ?? refuseMissing()
  return { attachment: present(row), content: content.toString('base64') }
}

export async function removeAttachment(app: App, id: string): Promise<void> {
  if (!(await deleteAttachment(app.db, id))) refuseMissing()
}

/** Lets a session keep the files that its prompts name, unless another session keeps them. In the transaction of the prompt. */
export async function keepNamed(tx: Transaction, sessionId: number, prompts: readonly string[]): Promise<void> {
  const ids = [...new Set(prompts.flatMap(namedIn))]
  if (ids.length > 0) await claimForSession(tx, sessionId, ids)
}

/** The files that the agent of a turn gets: all that its session keeps, and those that its prompt names. */
export function findFor(app: App, sessionId: number, prompt: string): Promise<AttachmentRow[]> {
  return selectAttachmentsFor(app.db, sessionId, namedIn(prompt))
}

/** Undefined if the file was deleted meanwhile. */
export async function contentOf(app: App, id: string): Promise<Buffer | undefined> {
  return (await selectAttachment(app.db, id))?.content
}

/** The ids of the files that a prompt names, without those beyond the limit. */
export function namedIn(prompt: string): string[] {
  return referencesIn(prompt)
    .slice(0, limits.attachment.perPrompt)
    .map(({ id }) => id)
}

function present({ created_at, ...row }: AttachmentRow): Attachment {
  return { ...row, reference: referenceOf(row), created_at: formatTimestamp(created_at) }
}
