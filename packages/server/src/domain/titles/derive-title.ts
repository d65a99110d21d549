import { limits } from '@yardmaster/contract/limits'

const titleLength = 60

/** The first sentence of what was asked for. `v1.2` does not end one, a line does. Blank when the prompt says nothing. */
export function titleFromPrompt(prompt: string): string {
  const [line = ''] = prompt.trim().split(/[\r\n]+/)
  const [sentence = ''] = line.split(/(?<=[^\s.!?])[.!?]+(?=\s|$)/)
  return cut(sentence.trim(), titleLength)
}

/** Why it failed, in a line. */
export function titleFromFailure({ exit_status: detail, failure_reason: reason }: Record<string, unknown>): string {
  const [line = ''] = typeof detail === 'string' ? detail.trim().split(/[\r\n]+/) : []
  const known = typeof reason === 'string' ? `Failed: ${reason.replaceAll('_', ' ')}` : 'Failed'
  return cut(line.trim() || known, limits.title)
}

function cut(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length <= max
    ? text
    : `${characters
        .slice(0, max - 3)
        .join('')
        .trimEnd()}...`
}
