import { lstat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { referenceOf, referencesIn, replaceReferences } from '@yardmaster/contract/attachments/reference'
import { limits } from '@yardmaster/contract/limits'
import { UntrustedFile } from '../../platform/files/untrusted-file.ts'
import { replaceUntrusted } from '../../platform/files/untrusted-folder.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import type { App } from '../app.ts'
import { contentOf, findFor, namedIn } from '../attachments/attachment.ts'
import { runtimeHome } from './folders.ts'

export type PlacedPrompt = {
  /** As the agent gets it: with the paths of files on this host in place of their references. */
  prompt: string
  /** What a person should know: which files the agent does not get. */
  warnings: string[]
}

/**
 * Puts the files of a session where its agent can read them. Those that earlier prompts named are put there again if they are
 * missing, because the session may have moved to this host. Not in the clone, where they could be committed.
 */
export async function placeAttachments(app: App, sessionId: number, prompt: string): Promise<PlacedPrompt> {
  const named = namedIn(prompt)
  const paths = new Map<string, string>()
  const damaged: string[] = []
  let placed = prompt
  for (const row of await findFor(app, sessionId, prompt)) {
    const path = join(runtimeHome(app, sessionId), 'attachments', row.id, row.name)
    if (!(await isThere(path))) {
      const content = await contentOf(app, row.id)
      // It was deleted meanwhile.
      if (!content) continue
      try {
        await place(app, sessionId, { path, content })
      } catch (error) {
        // Neither what an agent did to a file of an earlier prompt nor a full disk may fail every turn from then on.
        const reason = reasonOf(error)
        if (reason === undefined || named.includes(row.id)) throw error
        damaged.push(`The file ${row.name} of an earlier prompt is not there: ${reason}.`)
        continue
      }
    }
    paths.set(row.id, path)
    // A language without spaces continues right after the name, so the whole name goes first.
    placed = placed.replaceAll(referenceOf(row), () => path)
  }
  // Then those with another name than the file has: cut off, decomposed, or written by hand.
  placed = replaceReferences(placed, ({ id, reference }) => paths.get(id) ?? reference)
  return { prompt: placed, warnings: [...damaged, ...warningsAbout(placed, named)] }
}

function warningsAbout(placed: string, named: readonly string[]): string[] {
  const left = referencesIn(placed)
  const missing = left.filter(({ id }) => named.includes(id))
  return [
    ...missing.map(({ reference }) => `The prompt names a file that is not stored: ${reference}.`),
    ...(left.length > missing.length
      ? [`The prompt names more than ${limits.attachment.perPrompt} files. The agent does not get the others.`]
      : []),
  ]
}

/** In words for the session's log, which names no path of this host. Undefined for a fault of ours. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof UntrustedFile) return error.message
  const code = errnoOf(error)
  return code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : code && `it cannot be written (${code})`
}

/**
 * The agent may have worked on its copy: that stays. Only a crash of the machine leaves an empty one. If the agent put a link on
 * the way there, it reads what the link leads to with its own rights.
 */
async function isThere(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isFile() === true && found.size > 0
}

type Placing = { path: string; content: Buffer }

async function place(app: App, sessionId: number, { path, content }: Placing): Promise<void> {
  const within = runtimeHome(app, sessionId)
  // Flushed before it has its name: a part of it, after a loss of power, would count as the work of the agent.
  await replaceUntrusted(path, { within }, (draft) =>
    writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true }),
  )
}
