import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from '@yardmaster/contract/json'
import { type Page, PageQuery, Pagination, paginate } from '@yardmaster/contract/paging'
import type { RefusalKind } from '@yardmaster/contract/problem'
import { z } from 'zod'
import { type AnswerOf, type AnswerSpecs, ok } from './answer.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** One endpoint, whole: what it takes, what it may answer, what it may refuse, and what it does. */
export type Endpoint<App> = {
  method: Method
  /** Below `/api/v1`, in OpenAPI's own form of parameters: `/sessions/{id}`. */
  path: string
  tag: string
  summary: string
  description?: string
  params: z.ZodType
  query: z.ZodType
  body: z.ZodType | undefined
  answers: AnswerSpecs
  refusals: readonly RefusalKind[]
  /** Only where an endpoint takes more than the usual limit. */
  bodyLimitBytes?: number
  /** Its answer carries an `ETag`, and whoever has it already is answered 304. */
  isTagged?: boolean
  /** Of a PATCH: clients that know only PUT may say that instead, and mean the same. */
  isPutToo?: boolean
  handle(request: EndpointRequest<unknown, unknown, unknown>, app: App): Promise<{ status: number; body: unknown }>
}

export type EndpointRequest<Params, Query, Body> = {
  params: Params
  query: Query
  /** Checked when it is read, so that an endpoint may look at something else first. */
  readonly body: Body
  /** The JSON object as it was sent. */
  rawBody: JsonObject
  headers: IncomingHttpHeaders
  /** Aborted when nobody waits for the answer any more: the caller has gone, or has all of it. */
  signal: AbortSignal
}

type Declaration<
  App,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answers extends AnswerSpecs,
> = {
  method: Method
  path: string
  tag: string
  summary: string
  description?: string
  params?: Params
  query?: Query
  body?: Body
  answers: Answers
  refusals?: readonly RefusalKind[]
  bodyLimitBytes?: number
  isTagged?: boolean
  isPutToo?: boolean
  handle(
    request: EndpointRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    app: App,
  ): Promise<AnswerOf<Answers>>
}

type ListDeclaration<App, Params extends z.ZodType, Filters extends z.ZodRawShape, Item extends z.ZodType> = {
  path: string
  tag: string
  summary: string
  /** The key the collection stands under. */
  key: string
  item: Item
  params?: Params
  filters?: z.ZodObject<Filters>
  refusals?: readonly RefusalKind[]
  find(
    request: { params: z.output<Params>; filters: z.output<z.ZodObject<Filters>>; page: Page },
    app: App,
  ): Promise<{ items: z.output<Item>[]; totalCount: number }>
}

const nothing = z.object({})

/** The two ways to declare an endpoint, for operations that are handed an `App`. */
export function endpointDeclaring<App>() {
  function defineEndpoint<
    Answers extends AnswerSpecs,
    Params extends z.ZodType = typeof nothing,
    Query extends z.ZodType = typeof nothing,
    Body extends z.ZodType = z.ZodUndefined,
  >(declaration: Declaration<App, Params, Query, Body, Answers>): Endpoint<App> {
    const { handle } = declaration
    return {
      ...declaration,
      params: declaration.params ?? nothing,
      query: declaration.query ?? nothing,
      body: declaration.body,
      refusals: declaration.refusals ?? [],
      // The registrar has parsed the request by the schemas above, so its parts have the types the declaration says.
      handle: (request, app) => handle(request as Parameters<typeof handle>[0], app),
    }
  }

  /** A paged collection. Owns `page`, `per_page` and the `pagination` object. */
  function listEndpoint<
    Item extends z.ZodType,
    Params extends z.ZodType = typeof nothing,
    Filters extends z.ZodRawShape = Record<never, never>,
  >({ key, item, filters, find, ...rest }: ListDeclaration<App, Params, Filters, Item>): Endpoint<App> {
    return defineEndpoint({
      ...rest,
      method: 'GET',
      query: z.object({ ...PageQuery.shape, ...filters?.shape }),
      answers: {
        200: z.object({ [key]: z.array(item).meta({ description: 'One page of them.' }), pagination: Pagination }),
      },
      handle: async ({ params, query: asked }, app) => {
        const page = { page: asked.page, perPage: asked.per_page }
        // The query's schema is the filters' with the paging beside them; the extra keys do no harm.
        const { items, totalCount } = await find(
          { params, filters: asked as unknown as z.output<z.ZodObject<Filters>>, page },
          app,
        )
        return ok({ [key]: items, pagination: paginate(page, totalCount) } as never)
      },
    })
  }

  return { defineEndpoint, listEndpoint }
}
