import { join } from 'node:path'
import type { Hook, HookEvent } from './equipment.ts'

/** What coding agents call the moments at which a hook may run. A commit is to them a command like any other. */
export const momentNames = {
  session_start: 'SessionStart',
  session_end: 'SessionEnd',
  pre_tool_call: 'PreToolUse',
  post_tool_call: 'PostToolUse',
  notification: 'Notification',
  stop: 'Stop',
} as const satisfies Partial<Record<HookEvent, string>>

/** The command and its arguments. What begins with `./` lies in the hook's folder, wherever that has been put. */
export function hookProgram({ command, args }: Hook, folder: string): [command: string, ...args: string[]] {
  const inFolder = (word: string): string => (word.startsWith('./') ? join(folder, word) : word)
  return [inFolder(command), ...args.map(inFolder)]
}
