import { addresses } from '@yardmaster/client/addresses'
import { createWebClient } from '@yardmaster/client/client'
import type { InputOf, ResultOf } from '@yardmaster/client/operation-types'
import { webAddresses } from '@yardmaster/client/web-addresses'
import type { Operation } from '@yardmaster/contract/operations'
import type { WebOperation } from '@yardmaster/contract/web-operations'
import { privatePath } from './private-path.ts'

/** The API for a signed-in browser: the cookie goes along by itself, and no key is ever in the page. */
export const client = createWebClient({ url: '', privatePath })

type Any = Operation | WebOperation
export type OperationName = Exclude<Any['name'], 'events.stream'>
type Named<Name extends OperationName> = Extract<Any, { name: Name }>

/** What an operation takes: keys of the path, the query and the body in one object. */
export type Input<Name extends OperationName> = InputOf<Named<Name>>
/** What an operation answers. */
export type Result<Name extends OperationName> = ResultOf<Named<Name>>

const graceMs = 20_000

/** The calls that have no answer yet, and whether they may be made twice. */
const unanswered = new Map<AbortController, boolean>()

const lost = new Error('The connection was lost before the server answered. It may have done this all the same.')

/**
 * The page was cut off and is not any more. What was asked before, on a connection that died as in a sleep of the computer, might never be
 * answered. Reads are asked again at once; other calls fail after a while, since their connections may live.
 */
export function giveUpUnanswered(): void {
  const old = [...unanswered]
  const giveUp = (those: typeof old) => {
    for (const [attempt] of those) if (unanswered.has(attempt)) attempt.abort(lost)
  }
  giveUp(old.filter(([, isRepeatable]) => isRepeatable))
  setTimeout(() => giveUp(old), graceMs)
}

/** Calls an operation by its name, such as `sessions.archive`. */
export function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Result<Name>> {
  const [resource, verb] = name.split('.') as [keyof typeof client, string]
  // The client has a method for every operation; a test of the client compares them with the declarations.
  const methods = client[resource] as unknown as Record<
    string,
    (input: unknown, options: object) => Promise<Result<Name>>
  >
  const method = methods[verb]
  if (!method) throw new Error(`no operation ${name}`)
  // An upload may take minutes on a line that works.
  if (name === 'attachments.create') return method(input, { signal })
  const isRead = { ...addresses, ...webAddresses }[name].startsWith('GET ')
  return untilAnswered((each) => method(input, { signal: each }), {
    isRepeatable: isRead || 'idempotency_key' in input,
    signal,
  })
}

type Asking = { isRepeatable: boolean; signal: AbortSignal | undefined }

async function untilAnswered<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  { isRepeatable, signal }: Asking,
): Promise<Answer> {
  for (;;) {
    const attempt = new AbortController()
    unanswered.set(attempt, isRepeatable)
    try {
      return await ask(signal ? AbortSignal.any([attempt.signal, signal]) : attempt.signal)
    } catch (error) {
      if (!attempt.signal.aborted || signal?.aborted) throw error
      if (!isRepeatable) throw lost
    } finally {
      unanswered.delete(attempt)
    }
  }
}
