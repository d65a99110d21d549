import type { Child } from '../../platform/process/launch.ts'
import { quote } from '../quote.ts'
import type { TurnEnd, TurnOrder } from '../runtime.ts'
import { failed, signInAdvice } from './failures.ts'
import type { Input } from './input.ts'
import { type AlphaEvent, type AlphaResult, declineLine, interruptLine, readEvent } from './protocol.ts'

export type Heard = { result: AlphaResult | undefined; gaveUp: TurnEnd | undefined }

type Hearing = Pick<TurnOrder, 'onActivity' | 'onNotice'>

/** Hears the CLI out. It may have several results, when work in the background goes on after the first; the last counts. */
export async function listen({ lines }: Pick<Child, 'lines'>, order: Hearing, input: Input): Promise<Heard> {
  const heard: Heard = { result: undefined, gaveUp: undefined }
  for await (const { text } of lines) {
    order.onActivity()
    const event = readEvent(text)
    if (!event) continue
    const notice = noticeOf(event)
    if (notice !== undefined) order.onNotice(notice)
    if (event.kind === 'asked') input.tell(declineLine(event))
    if (event.kind === 'result') {
      heard.result = event
      input.hangUp()
    }
    if (isRefusedForGood(event) && !heard.gaveUp) {
      const said = `The provider refused the sign-in (${event.status}, ${event.error})`
      heard.gaveUp = failed('auth', said, signInAdvice)
      input.tell(interruptLine())
    }
  }
  return heard
}

/** The first refusal may be of a token that ran out, which the CLI renews. A second one is not worth waiting for. */
function isRefusedForGood(event: AlphaEvent): event is Extract<AlphaEvent, { kind: 'retry' }> {
  return event.kind === 'retry' && (event.status === 401 || event.status === 403) && event.attempt >= 2
}

/** What a person who looks at the session should know of it. */
function noticeOf(event: AlphaEvent): string | undefined {
  switch (event.kind) {
    case 'begun':
      if (event.missingServers.length === 0) return undefined
      return `MCP servers that did not start, so that the agent works without them: ${event.missingServers.join(', ')}.`
    case 'retry': {
      const status = event.status === undefined ? 'no answer' : `status ${event.status}`
      return `The model did not answer (${status}, ${event.error}); attempt ${event.attempt + 1} of ${event.maxRetries + 1} follows.`
    }
    case 'limit': {
      if (event.status === 'allowed') return undefined
      const until = event.resetsAt ? `, which is lifted at ${event.resetsAt.toISOString()}` : ''
      return `The provider reports a usage limit (${event.status})${until}.`
    }
    case 'asked': {
      const message = event.message === '' ? '' : `: ${quote(event.message)}`
      return `${event.from ?? 'The agent'} asked for an answer (${event.subtype})${message}. It was declined, as nobody can answer here.`
    }
    default:
      return undefined
  }
}
