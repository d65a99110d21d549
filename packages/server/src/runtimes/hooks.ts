import { join } from 'node:path'
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
