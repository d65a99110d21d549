import type { Child } from '../../platform/process/launch.ts'
import { asksForSignIn, missingServer } from '../mcp-problem.ts'
import type { TurnOrder } from '../runtime.ts'
import { failed, signInAdvice } from './failures.ts'
import type { Input } from './input.ts'
import { type AlphaEvent, interruptLine, readEvent } from './protocol.ts'
import { questionDesk } from './questions.ts'
import type { TurnOutcome } from './turn-end.ts'

export type TurnOutput = Pick<TurnOutcome, 'result' | 'earlyEnd' | 'limit'>

type Callbacks = Pick<TurnOrder, 'onActivity' | 'onNotice' | 'onUnauthorized' | 'ask'>

/** Reads the CLI's output to its end. The last result counts: background work may go on after the first one. */
export async function readOutput({ lines }: Pick<Child, 'lines'>, order: Callbacks, input: Input): Promise<TurnOutput> {
  const output: TurnOutput = { result: undefined, earlyEnd: undefined, limit: undefined }
  const questions = questionDesk(order, input)
  for await (const { text } of lines) {
    order.onActivity()
    const event = readEvent(text)
    if (!event) continue
    const notice = noticeOf(event)
    if (notice !== undefined) order.onNotice(notice)
    if (event.kind === 'limit') output.limit = event
    if (event.kind === 'started')
      for (const { name, status } of event.missingServers) if (status === 'needs-auth') order.onUnauthorized?.(name)
    if (event.kind === 'question') void questions.answer(event)
    if (event.kind === 'question_withdrawn') questions.withdraw(event.requestId)
    if (event.kind === 'result') {
      output.result = event
      input.close()
    }
    if (isSignInRejected(event) && !output.earlyEnd) {
      const sentence = `The provider rejected the sign-in (${event.status}, ${event.error})`
      output.earlyEnd = { ...failed('auth', sentence, signInAdvice), signal: { kind: 'login_rejected' } }
      input.send(interruptLine())
    }
  }
  return output
}

/** The CLI renews an expired token after the first rejection. After a second one, retries are in vain. */
function isSignInRejected(event: AlphaEvent): event is Extract<AlphaEvent, { kind: 'retry' }> {
  return event.kind === 'retry' && (event.status === 401 || event.status === 403) && event.attempt >= 2
}

/** The CLI's words for the state of a server. */
const mcpProblems: Record<string, string> = {
  'needs-auth': asksForSignIn,
  pending: 'it did not start in time. Start it by hand on this host to see why.',
}

function noticeOf(event: AlphaEvent): string | undefined {
  switch (event.kind) {
    case 'started':
      if (event.missingServers.length === 0) return undefined
      return event.missingServers.map(({ name, status }) => missingServer(name, mcpProblems[`${status}`])).join(' ')
    case 'retry': {
      const status = event.status === undefined ? 'no answer' : `status ${event.status}`
      return `The call to the model failed (${status}, ${event.error}); attempt ${event.attempt + 1} of ${event.maxRetries + 1} follows.`
    }
    case 'limit': {
      if (event.status === 'allowed') return undefined
      const until = event.resetsAt ? `, which ends at ${event.resetsAt.toISOString()}` : ''
      return `The provider reports a usage limit (${event.status})${until}.`
    }
    default:
      return undefined
  }
}
