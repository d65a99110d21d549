import { createWebClient } from '@yardmaster/client/client'
import type { InputOf, ResultOf } from '@yardmaster/client/operation-types'
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

/** Calls an operation by its name, such as `sessions.archive`. */
export function call<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  options: { signal?: AbortSignal } = {},
): Promise<Result<Name>> {
  const [resource, verb] = name.split('.') as [keyof typeof client, string]
  // The client has a method for every operation; a test of the client compares them with the declarations.
  const methods = client[resource] as unknown as Record<
    string,
    (input: unknown, options: object) => Promise<Result<Name>>
  >
  const method = methods[verb]
  if (!method) throw new Error(`no operation ${name}`)
  return method(input, options)
}
