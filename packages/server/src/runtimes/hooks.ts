import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shellQuote } from '../platform/process/shell-quote.ts'
import type { Hook, HookEvent } from './equipment.ts'

/** The agents' names for our hook events. They have none for commits: to them a commit is an ordinary command. */
export const agentEventNames = {
  session_start: 'SessionStart',
  session_end: 'SessionEnd',
  pre_tool_call: 'PreToolUse',
  post_tool_call: 'PostToolUse',
  notification: 'Notification',
  stop: 'Stop',
} as const satisfies Partial<Record<HookEvent, string>>

/** The command and its arguments, with `./` resolved to the folder where the hook is installed. */
export function hookProgram({ command, args }: Hook, folder: string): [command: string, ...args: string[]] {
  const inFolder = (word: string): string => (word.startsWith('./') ? join(folder, word) : word)
  return [inFolder(command), ...args.map(inFolder)]
}

/**
 * Copies the hook's files to `<draft>/<name>` and writes the script that runs them to `<draft>/<name>.sh`. Agents of
 * another user cannot read the catalog's own folder. `root` is where the draft will be.
 */
export async function installHook(
  hook: Hook,
  { draft, root, name, without }: { draft: string; root: string; name: string; without?: readonly string[] },
): Promise<void> {
  await cp(hook.folder, join(draft, name), { recursive: true, dereference: true })
  await writeFile(join(draft, `${name}.sh`), hookScript(hook, join(root, name), without), { mode: 0o700 })
}

/**
 * A script that sets the hook's variables and becomes its program. A command line would show them to every user of the
 * host. `without` are variables of the agent that the hook does not get.
 */
function hookScript(hook: Hook, folder: string, without: readonly string[] = []): string {
  const isName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name)
  const lines = [
    '#!/bin/sh',
    ...without.filter(isName).map((name) => `unset ${name}`),
    ...Object.entries(hook.env)
      .filter(([name]) => isName(name))
      .map(([name, value]) => `export ${name}=${shellQuote(value)}`),
    `exec ${hookProgram(hook, folder).map(shellQuote).join(' ')}`,
  ]
  return `${lines.join('\n')}\n`
}
