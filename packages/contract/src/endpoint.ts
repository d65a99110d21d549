import { z } from 'zod'
import { PageQuery, Pagination } from './paging.ts'
import type { RefusalKind } from './problem.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** How a caller proves who it is. The server refuses to mount an endpoint whose kind it has no checker for. */
export const authKinds = ['api_key', 'operator', 'elicitation_token', 'webhook', 'browser', 'none'] as const
export type Auth = (typeof authKinds)[number]

/** The external platforms that send webhooks. */
export type Sender = 'chat' | 'forge'

/** `sessions.create`: the OpenAPI operation id, and the method on the client. */
export type OperationName = `${string}.${string}`

/**
 * What an endpoint answers under one status: a JSON schema, nothing, plain text, a stream of events, or a zip file. A file is
 * also answered in parts (`Range`), and not at all to a caller that has it (`If-None-Match`).
 */
export type AnswerSpec = z.ZodType | 'nothing' | 'text' | 'event-stream' | 'zip'
export type AnswerSpecs = Record<number, AnswerSpec | readonly AnswerSpec[]>

type About = {
  method: Method
  /** Below `/api/v1` unless it begins with `/api/`, with parameters in OpenAPI's form: `/sessions/{id}`. */
  path: string
  auth: Auth
  /** With auth `webhook`: the platform whose signature the body carries. */
  signedBy?: Sender
  tag: string
  summary: string
  description?: string
  /** Only where an endpoint accepts more or less than the usual limit. */
  bodyLimitBytes?: number
  /** The label of a query or a body that its schema refuses, where it is not the usual one. */
  invalidQuery?: RefusalKind
  invalidBody?: RefusalKind
  /** The answer carries an `ETag`; a request that names it in `If-None-Match` is answered 304. */
  isTagged?: boolean
  /** A read that a key with the scope `read` may not make. */
  needsFullScope?: true
  /** For a PATCH: PUT means the same, for clients that know only PUT. */
  isPutToo?: boolean
}

/** One endpoint as server, client and documentation see it: everything but what it does. */
export type Declaration<
  Name extends OperationName = OperationName,
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Answers extends AnswerSpecs = AnswerSpecs,
  Early extends z.ZodType = z.ZodType,
> = About & {
  name: Name
  params: Params
  query: Query
  body: Body
  /** Keys of the body that the handler may read before the whole body is validated. Must accept any object. */
  early: Early
  answers: Answers
  refusals: readonly RefusalKind[]
}

const nothing = z.object({})
type Nothing = typeof nothing

type Declared<Name, Params, Query, Body, Answers, Early> = About & {
  name: Name
  params?: Params
  query?: Query
  body?: Body
  early?: Early
  answers: Answers
  refusals?: readonly RefusalKind[]
}

export function defineEndpoint<
  const Name extends OperationName,
  const Answers extends AnswerSpecs,
  Params extends z.ZodType = Nothing,
  Query extends z.ZodType = Nothing,
  Body extends z.ZodType | undefined = undefined,
  Early extends z.ZodType = Nothing,
>(
  declared: Declared<Name, Params, Query, Body, Answers, Early>,
): Declaration<Name, Params, Query, Body, Answers, Early> {
  return {
    ...declared,
    // The defaults of the type parameters are these values.
    params: declared.params ?? (nothing as unknown as Params),
    query: declared.query ?? (nothing as unknown as Query),
    body: declared.body as Body,
    early: declared.early ?? (nothing as unknown as Early),
    refusals: declared.refusals ?? [],
  }
}

type PageShape = typeof PageQuery.shape

/** A paged collection: `page` and `per_page` beside its filters, and `pagination` beside the items under `key`. */
export type ListDeclaration<
  Name extends OperationName = OperationName,
  Params extends z.ZodType = z.ZodType,
  Filters extends z.ZodRawShape = z.ZodRawShape,
  Key extends string = string,
  Item extends z.ZodType = z.ZodType,
> = Declaration<
  Name,
  Params,
  z.ZodObject<PageShape & Filters>,
  undefined,
  { 200: z.ZodObject<Record<Key, z.ZodArray<Item>> & { pagination: typeof Pagination }> },
  Nothing
> & { key: Key }

type DeclaredList<Name, Params, Filters extends z.ZodRawShape, Key, Item> = Omit<About, 'method'> & {
  name: Name
  key: Key
  item: Item
  params?: Params
  filters?: z.ZodObject<Filters>
  refusals?: readonly RefusalKind[]
}

export function defineList<
  const Name extends OperationName,
  const Key extends string,
  Item extends z.ZodType,
  Params extends z.ZodType = Nothing,
  Filters extends z.ZodRawShape = Record<never, never>,
>({
  key,
  item,
  filters,
  ...declared
}: DeclaredList<Name, Params, Filters, Key, Item>): ListDeclaration<Name, Params, Filters, Key, Item> {
  const items = z.array(item).meta({ description: 'One page of them.' })
  const declaration = defineEndpoint({
    ...declared,
    method: 'GET',
    query: z.object({ ...PageQuery.shape, ...filters?.shape }),
    answers: { 200: z.object({ [key]: items, pagination: Pagination }) },
  })
  // TypeScript widens the computed key and the spread shape; both are exactly what the type says.
  return { ...declaration, key } as unknown as ListDeclaration<Name, Params, Filters, Key, Item>
}
