import { limits } from '@yardmaster/contract/limits'
import { automatedMessage } from '../../runtimes/automated-message.ts'

/**
 * Some agents record a stop of ours as the user's: "The user doesn't want to proceed with this tool use. STOP what you are doing
 * and wait for the user". The prompt says what really happened.
 */
export const recoveryPrompt = automatedMessage(
  [
    'The service that runs you stopped you, for example because it was updated; the user did not.',
    'If your last tool call failed, was rejected or has no result, or a note says that the user interrupted you or wants you to stop and wait, that came from this stop: disregard it.',
    'If you were in the middle of a task, check its state and continue; otherwise wait for the next message.',
  ].join(' '),
)

/** For an agent whose calls to the model were rejected because of the account that served them. */
export const newAccountPrompt = automatedMessage(
  'The account that served you could not go on, and another one or a fresh login serves you now; the user did nothing. Disregard the error of your last call, and continue with the last message of the user.',
)

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
