import type { IncomingHttpHeaders } from 'node:http'
import type { Declaration, ListDeclaration, OperationName } from '@yardmaster/contract/endpoint'
import { type Page, paginate } from '@yardmaster/contract/paging'
import type { z } from 'zod'
import { type AnswerOf, type OnUnsent, ok } from './answer.ts'
import type { Browser } from './browser.ts'

/** A declaration of the contract with the handler that serves it. */
export type Endpoint<App> = Declaration & {
  /** Refuses the path of an unknown resource, for less than the answer costs. Only where the difference matters. */
  find?(params: unknown, app: App): Promise<unknown>
  handle(
    request: EndpointRequest<unknown, unknown, unknown, unknown>,
    app: App,
  ): Promise<{ status: number; body: unknown; onUnsent?: OnUnsent | undefined }>
}

export type EndpointRequest<Params, Query, Body, Early> = {
  params: Params
  query: Query
  /** Validated when it is read, so that a handler can look at something else first. */
  readonly body: Body
  /** The keys that the declaration offers before the body is validated. */
  readonly early: Early
  headers: IncomingHttpHeaders
  /** Aborted when the caller has disconnected or has received the whole answer. */
  signal: AbortSignal
  /** The session whose agent calls a tool, proven by the key of its turn. Undefined for every other caller. */
  agentOf: number | undefined
  /** The catalog roots that the caller of a tool is limited to. Undefined if it is not. */
  roots: readonly string[] | undefined
  /** Whether it is a call of a tool. */
  isTool: boolean
  /** The browser of the person who asks. Undefined for every caller with a key. */
  browser: Browser | undefined
  /** Waits until an answer of about this size may be made: large answers together would take too much memory. */
  turnToAnswer(bytes: number): Promise<void>
}

type BodyOf<Body> = Body extends z.ZodType ? z.output<Body> : undefined

type RequestOf<Bound extends Declaration> = EndpointRequest<
  z.output<Bound['params']>,
  z.output<Bound['query']>,
  BodyOf<Bound['body']>,
  z.output<Bound['early']>
>

type ListRequest<Params extends z.ZodType, Filters extends z.ZodRawShape> = {
  params: z.output<Params>
  filters: z.output<z.ZodObject<Filters>>
  page: Page
  roots: readonly string[] | undefined
  browser: Browser | undefined
}

/** The two ways to bind a handler to a declaration, for handlers that are given an `App`. */
export function endpointBinding<App>() {
  function bind<Bound extends Declaration>(
    declaration: Bound,
    handle: (request: RequestOf<Bound>, app: App) => Promise<AnswerOf<Bound['answers']>>,
    find?: (params: z.output<Bound['params']>, app: App) => Promise<unknown>,
  ): Endpoint<App> {
    return {
      ...declaration,
      ...(find && { find: (params: unknown, app: App) => find(params as z.output<Bound['params']>, app) }), // parsed likewise
      // The registrar parses the request by the declaration's schemas, so its parts have the types `handle` expects.
      handle: (request, app) => handle(request as RequestOf<Bound>, app),
    }
  }

  /** For a paged collection: `find` returns one page, and the answer gets its `pagination`. */
  function bindList<
    Name extends OperationName,
    Params extends z.ZodType,
    Filters extends z.ZodRawShape,
    Key extends string,
    Item extends z.ZodType,
  >(
    declaration: ListDeclaration<Name, Params, Filters, Key, Item>,
    find: (request: ListRequest<Params, Filters>, app: App) => Promise<{ items: z.output<Item>[]; totalCount: number }>,
  ): Endpoint<App> {
    return {
      ...declaration,
      handle: async (request, app) => {
        // As in `bind`.
        const { params, query, roots, browser } = request as EndpointRequest<
          z.output<Params>,
          { page: number; per_page: number } & z.output<z.ZodObject<Filters>>,
          undefined,
          unknown
        >
        const { page: number, per_page: perPage, ...filters } = query
        const page = { page: number, perPage }
        // What is left of the query is what the filters declare.
        const asked = { params, filters: filters as unknown as z.output<z.ZodObject<Filters>>, page, roots, browser }
        const { items, totalCount } = await find(asked, app)
        return ok({ [declaration.key]: items, pagination: paginate(page, totalCount) })
      },
    }
  }

  return { bind, bindList }
}
