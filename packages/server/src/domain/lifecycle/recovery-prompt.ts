import { limits } from '@yardmaster/contract/limits'

/** Recognisable by its first words, so that nothing mistakes it for what a person said. */
export const recoveryPrompt = [
  '[Automated message from Yardmaster, not from a person]',
  'Your session may have been interrupted. If you were in the middle of a task, look at where it stands and go on; otherwise wait for the next message.',
].join(' ')

/**
 * For an agent on another host, whose conversation may lack the last of what was said. The message itself is quoted, so
 * that it is neither lost nor taken for a second one.
 */
export function recoveryPromptAfterMove(prompt: string): string {
  const opening = `${recoveryPrompt} You were moved to another machine, and uncommitted work may be gone. The message you were working on, in case you do not have it:\n\n`
  const quoted = prompt.replaceAll(/^/gm, '> ')
  return Array.from(opening + quoted)
    .slice(0, limits.prompt)
    .join('')
}
