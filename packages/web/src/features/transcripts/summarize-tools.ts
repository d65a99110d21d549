import type { IconName } from '../../shared/kit/icon.tsx'
import type { Thought, ToolCall } from './rows.ts'

type Kind = 'read' | 'search' | 'command' | 'edit' | 'web' | 'other'

const kinds: readonly { kind: Kind; names: RegExp }[] = [
  { kind: 'command', names: /^(bash|run|shell|exec|exec_command|local_shell|run_.*command|terminal)$/i },
  {
    kind: 'edit',
    names: /^(edit|multiedit|write|notebookedit|apply_patch|str_replace.*|create_file|write_file|patch)$/i,
  },
  { kind: 'search', names: /^(grep|glob|ls|list|list_dir|search.*|find.*|codebase_search|toolsearch)$/i },
  { kind: 'web', names: /^(web.*|fetch)$/i },
  { kind: 'read', names: /^(read|read_file|view|cat|notebookread|open)$/i },
]

/** In the order in which a summary names them. */
const words: Record<Kind, { icon: IconName; say: (count: number) => string }> = {
  read: { icon: 'file-text', say: (count) => `read ${counted(count, 'file')}` },
  search: { icon: 'search', say: (count) => `searched ${count === 1 ? 'once' : `${count} times`}` },
  command: { icon: 'terminal', say: (count) => `ran ${counted(count, 'command')}` },
  edit: { icon: 'pencil', say: (count) => `edited ${counted(count, 'file')}` },
  web: { icon: 'external-link', say: (count) => `read ${counted(count, 'web page')}` },
  other: { icon: 'wrench', say: (count) => `called ${counted(count, 'tool')}` },
}

export function iconOf({ name }: ToolCall): IconName {
  return words[kindOf(name)].icon
}

/** "Read 6 files · ran 2 commands (1 failed)". */
export function summaryOf(items: readonly (ToolCall | Thought)[]): string {
  const calls = items.filter((item) => item.kind === 'call')
  const said = (Object.keys(words) as Kind[]).flatMap((kind) => {
    const ofKind = calls.filter(({ name }) => kindOf(name) === kind)
    if (ofKind.length === 0) return []
    const only = ofKind[0]
    const failed = ofKind.filter(hasFailed).length
    const text =
      kind === 'other' && ofKind.length === 1 && only ? `called ${only.name}` : words[kind].say(ofKind.length)
    return failed > 0 ? `${text} (${failed === ofKind.length && failed === 1 ? 'failed' : `${failed} failed`})` : text
  })
  const thoughts = items.length - calls.length
  if (thoughts > 0) said.push(calls.length === 0 ? 'thinking' : counted(thoughts, 'thought'))
  const text = said.join(' · ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

export function hasFailed({ result }: ToolCall): boolean {
  return result?.part.is_error === true
}

/** Seconds from the first call to the last result; undefined if the agent names no times. */
export function secondsOf(items: readonly (ToolCall | Thought)[]): number | undefined {
  const calls = items.filter((item) => item.kind === 'call')
  const starts = calls.flatMap(({ startedAt }) => (startedAt ? new Date(startedAt).getTime() : []))
  const ends = calls.flatMap(({ endedAt }) => (endedAt ? new Date(endedAt).getTime() : []))
  if (starts.length === 0 || ends.length === 0) return undefined
  return Math.max(0, Math.max(...ends) - Math.min(...starts)) / 1000
}

export function kindOf(name: string): Kind {
  return kinds.find(({ names }) => names.test(name))?.kind ?? 'other'
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
