import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import { shellQuote } from '../../platform/process/shell-quote.ts'
import type { Hook, HookEvent } from '../equipment.ts'
import { agentEventNames, installHook } from '../hooks.ts'
import type { Conversation } from '../runtime.ts'
import { codexHome } from './codex-home.ts'

export function hooksFile(conversation: Conversation): string {
  return join(codexHome(conversation), 'hooks.json')
}

/** Codex has no notification event. */
const { notification: _, ...supported } = agentEventNames
const eventNames: Partial<Record<HookEvent, string>> = supported

/** Holds the hooks' secrets, so it is there only while a turn runs. */
export function hookScripts(conversation: Pick<Conversation, 'home'>): string {
  return join(codexHome(conversation), 'yardmaster-hooks')
}

/**
 * Writes codex's `hooks.json` and the scripts it names. Hooks run in the agent's environment without its keys.
 */
export async function installHooks(
  conversation: Conversation,
  hooks: readonly Hook[],
  secretNames: readonly string[],
): Promise<void> {
  const scripts = hookScripts(conversation)
  const usable = hooks.filter(({ event }) => eventNames[event] !== undefined)
  const bounds = { within: conversation.home }
  await replaceUntrusted(scripts, bounds, async (draft) => {
    await mkdir(draft, { mode: 0o700 })
    for (const [index, hook] of usable.entries()) {
      await installHook(hook, { draft, root: scripts, name: hookName(index), without: secretNames })
    }
  })
  await writeUntrusted(hooksFile(conversation), hooksJson(usable, scripts), bounds)
}

function hookName(index: number): string {
  return String(index + 1)
}

function hooksJson(hooks: readonly Hook[], scripts: string): string {
  const groups: Record<string, unknown[]> = {}
  for (const [index, hook] of hooks.entries()) {
    const event = eventNames[hook.event]
    if (event === undefined) continue
    groups[event] ??= []
    groups[event].push({
      ...(hook.matcher !== undefined && { matcher: hook.matcher }),
      hooks: [
        {
          type: 'command',
          command: shellQuote(join(scripts, `${hookName(index)}.sh`)),
          timeout: hook.timeoutSeconds ?? defaultSeconds,
        },
      ],
    })
  }
  return `${JSON.stringify({ hooks: groups }, undefined, 2)}\n`
}

/** A sentence for each hook that codex cannot run. */
export function hooksLeftOut(hooks: readonly Hook[]): string[] {
  return hooks
    .filter(({ event }) => eventNames[event] === undefined)
    .map(({ id, event }) => `The hook ${id} is left out: Codex has no hooks for ${event}.`)
}

/** Codex's default is ten minutes, but one second for the end of a session. */
const defaultSeconds = 60
