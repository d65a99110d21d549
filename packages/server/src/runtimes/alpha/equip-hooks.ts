import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readUntrusted } from '../../platform/files/untrusted-file.ts'
import { replaceUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import { shellQuote } from '../../platform/process/shell-quote.ts'
import type { Hook, HookEvent } from '../equipment.ts'
import { agentEventNames, installHook } from '../hooks.ts'
import type { Conversation } from '../runtime.ts'
import { parseFields } from './fields.ts'
import { folderName } from './folder-name.ts'
import { isInRepository } from './repository-folders.ts'
import { sessionPaths } from './session-paths.ts'

const eventNames: Partial<Record<HookEvent, string>> = agentEventNames

/**
 * Writes the hooks to the user's settings; the CLI runs them beside those of the repository. Each entry runs a script that sets
 * the hook's variables and calls its program, because every user of the host can read a command line.
 */
export async function equipHooks(conversation: Conversation, hooks: readonly Hook[]): Promise<string[]> {
  const { hooks: root } = sessionPaths(conversation)
  const sentences: string[] = []
  const settings: Record<string, unknown[]> = {}
  await replaceUntrusted(root, { within: conversation.home }, async (draft) => {
    await mkdir(draft, { mode: 0o700 })
    for (const [index, hook] of hooks.entries()) {
      const problem = await problemWith(conversation, hook)
      if (problem !== undefined) {
        sentences.push(problem)
        continue
      }
      const name = `${index + 1}-${folderName(hook.id)}`
      await installHook(hook, { draft, root, name })
      const event = eventNames[hook.event] ?? hook.event
      settings[event] = [...(settings[event] ?? []), entryOf(hook, join(root, `${name}.sh`))]
    }
  })
  await writeSettings(conversation, settings)
  return sentences
}

async function problemWith({ workingDirectory }: Conversation, { id, event }: Hook): Promise<string | undefined> {
  if (eventNames[event] === undefined) return `The hook ${id} is left out: this agent has no event for ${event}.`
  if (await isInRepository(workingDirectory, 'hooks', folderName(id)))
    return `The hook ${id} is left out: the repository has one of that name.`
  return undefined
}

function entryOf({ event, matcher, timeoutSeconds }: Hook, script: string): unknown {
  const isToolEvent = event === 'pre_tool_call' || event === 'post_tool_call'
  return {
    ...(isToolEvent && matcher !== undefined && { matcher }),
    hooks: [
      {
        type: 'command',
        command: shellQuote(script),
        ...(timeoutSeconds !== undefined && { timeout: timeoutSeconds }),
      },
    ],
  }
}

/**
 * Replaces `hooks` and removes `permissions`: the agent keeps settings of its own in this file, but does not decide what it may do
 * unasked.
 */
async function writeSettings(conversation: Conversation, hooks: Record<string, unknown[]>): Promise<void> {
  const path = sessionPaths(conversation).userSettings
  const text = await readUntrusted(path, { within: conversation.home })
  const { hooks: _previous, permissions: _own, ...rest } = (text === undefined ? undefined : parseFields(text)) ?? {}
  await writeUntrusted(path, JSON.stringify({ ...rest, hooks }, null, 2), { within: conversation.home })
}
