import { join } from 'node:path'
import { shellQuote } from '../../platform/process/shell-quote.ts'
import type { Hook, HookEvent } from '../equipment.ts'
import { agentEventNames, hookProgram } from '../hooks.ts'
import type { Conversation } from '../runtime.ts'
import { codexHome } from './codex-home.ts'

export function hooksFile(conversation: Conversation): string {
  return join(codexHome(conversation), 'hooks.json')
}

/** Codex has no notification event. */
const { notification: _, ...supported } = agentEventNames
const eventNames: Partial<Record<HookEvent, string>> = supported

/** Codex's `hooks.json`. Hooks run in the agent's environment without its keys. */
export function hooksJson(hooks: readonly Hook[], secretNames: readonly string[]): string {
  const groups: Record<string, unknown[]> = {}
  for (const hook of hooks) {
    const event = eventNames[hook.event]
    if (event === undefined) continue
    groups[event] ??= []
    groups[event].push({
      ...(hook.matcher !== undefined && { matcher: hook.matcher }),
      hooks: [
        { type: 'command', command: shellCommand(hook, secretNames), timeout: hook.timeoutSeconds ?? defaultSeconds },
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

function shellCommand(hook: Hook, secretNames: readonly string[]): string {
  const words = [
    'env',
    ...secretNames.flatMap((name) => ['-u', name]),
    ...Object.entries(hook.env).map(([name, value]) => `${name}=${value}`),
    ...hookProgram(hook, hook.folder),
  ]
  return words.map(shellQuote).join(' ')
}
