import { limits } from '@yardmaster/contract/limits'

const titleLength = 60

/** The first sentence of the prompt. The dot in `v1.2` does not end a sentence; a line end does. Blank for a blank prompt. */
export function titleFromPrompt(prompt: string): string {
  const [line = ''] = prompt.trim().split(/[\r\n]+/)
  const [sentence = ''] = line.split(/(?<=[^\s.!?])[.!?]+(?=\s|$)/)
  return truncate(sentence.trim(), titleLength)
}

/** The reason of the failure in one line. */
export function titleFromFailure({ exit_status: detail, failure_reason: reason }: Record<string, unknown>): string {
  const [line = ''] = typeof detail === 'string' ? detail.trim().split(/[\r\n]+/) : []
  const known = typeof reason === 'string' ? `Failed: ${reason.replaceAll('_', ' ')}` : 'Failed'
  return truncate(line.trim() || known, limits.title)
}

function truncate(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length <= max
    ? text
    : `${characters
        .slice(0, max - 3)
        .join('')
        .trimEnd()}...`
}
