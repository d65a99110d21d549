import { limits } from '@yardmaster/contract/limits'

/** The first words identify it as an automated message, so that it is not mistaken for a person's. */
export const recoveryPrompt = [
  '[Automated message from Yardmaster, not from a person]',
  'Your session may have been interrupted. If you were in the middle of a task, check its state and continue; otherwise wait for the next message.',
].join(' ')

/**
 * For an agent that was moved to another host: the end of its conversation may be missing there. The prompt of the
 * interrupted turn is quoted, so that it is neither lost nor read as a second request.
 */
export function recoveryPromptAfterMove(prompt: string): string {
  const opening = `${recoveryPrompt} You were moved to another machine, and uncommitted work may be lost. This is the message you were working on, in case your conversation does not contain it:\n\n`
  const quoted = prompt.replaceAll(/^/gm, '> ')
  return Array.from(opening + quoted)
    .slice(0, limits.prompt)
    .join('')
}
