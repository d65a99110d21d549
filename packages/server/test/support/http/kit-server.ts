import type { Server } from 'node:http'
import {
  type AnswerSpecs,
  type Declaration,
  defineEndpoint as declare,
  defineList as declareList,
  type OperationName,
} from '@yardmaster/contract/endpoint'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import { apiKeys } from '../../../src/platform/http/api-keys.ts'
import { type Endpoint, endpointBinding } from '../../../src/platform/http/endpoint.ts'
import type { Checkers, Fallback } from '../../../src/platform/http/guard.ts'
import { apiKeyChecker, keyCheck } from '../../../src/platform/http/key-check.ts'
import { registerEndpoints } from '../../../src/platform/http/register.ts'
import { type HttpTimeouts, openHttpServer } from '../../../src/platform/http/server.ts'
import type { ApiCalls } from '../app/api-calls.ts'
import { client, testKey } from '../app/app.ts'
import { type LogRecord, recordedLog } from '../log/recorded-log.ts'

/** The handlers of the kit's own test endpoints use no app. */
type NoApp = Record<never, never>

const { bind, bindList } = endpointBinding<NoApp>()

type Named = { name?: OperationName; auth?: Declaration['auth'] }
type Declared<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType | undefined,
  Answers extends AnswerSpecs,
  Early extends z.ZodType,
> = Omit<Parameters<typeof declare<OperationName, Answers, Params, Query, Body, Early>>[0], 'name' | 'auth'> & Named

/** Declares an endpoint and binds its handler in one step. The name is made from the address unless the test names it. */
export function defineEndpoint<
  const Answers extends AnswerSpecs,
  Params extends z.ZodType = z.ZodObject<Record<never, never>>,
  Query extends z.ZodType = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType | undefined = undefined,
  Early extends z.ZodType = z.ZodObject<Record<never, never>>,
>({
  handle,
  ...declared
}: Declared<Params, Query, Body, Answers, Early> & {
  handle: Parameters<typeof bind<Declaration<OperationName, Params, Query, Body, Answers, Early>>>[1]
}): Endpoint<NoApp> {
  const { name = nameOf(declared.path), auth = 'api_key' } = declared
  return bind(declare({ ...declared, name, auth }), handle)
}

/** As `defineEndpoint`, for a paged collection. */
export function listEndpoint<
  Item extends z.ZodType,
  Params extends z.ZodType = z.ZodObject<Record<never, never>>,
  Filters extends z.ZodRawShape = Record<never, never>,
>({
  find,
  ...declared
}: Omit<Parameters<typeof declareList<OperationName, string, Item, Params, Filters>>[0], 'name' | 'auth'> &
  Named & {
    find: Parameters<typeof bindList<OperationName, Params, Filters, string, Item>>[1]
  }): Endpoint<NoApp> {
  const { name = nameOf(declared.path), auth = 'api_key' } = declared
  return bindList(declareList({ ...declared, name, auth }), find)
}

function nameOf(path: string): OperationName {
  return `test.${path.replace(/\W+/g, '_')}`
}

export type KitServer = ApiCalls & {
  url: string
  lines(): string[]
  records(): LogRecord[]
  server: Server
  close(): Promise<void>
}

type Options = {
  timeouts?: HttpTimeouts
  hosts?: readonly string[]
  keys?: readonly string[]
  /** Beside the one for API keys. */
  checkers?: Omit<Checkers, 'api_key'>
  trustedProxies?: readonly string[]
  fallback?: Fallback
  /** Routes without a declaration, such as those of agents. */
  addRoutes?: (server: ReturnType<typeof openHttpServer>) => void
  isChecking?: boolean
  logLevel?: string
}

/** The HTTP kit alone, on a real socket, with the test's own endpoints; closed when the test ends. */
export async function kitServer(endpoints: readonly Endpoint<NoApp>[], options: Options = {}): Promise<KitServer> {
  const {
    timeouts,
    hosts = [],
    keys = [testKey],
    checkers = {},
    trustedProxies,
    fallback,
    addRoutes,
    isChecking = false,
    logLevel,
  } = options
  const { log, lines, records } = recordedLog(logLevel)
  const server = openHttpServer({
    log,
    checkers: { api_key: apiKeyChecker(keyCheck(apiKeys(keys), { log })), ...checkers },
    hosts,
    ...(trustedProxies && { trustedProxies }),
    ...(timeouts && { timeouts }),
    ...(fallback && { fallback }),
  })
  registerEndpoints(server, endpoints, { app: {}, isChecking })
  addRoutes?.(server)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const close = async (): Promise<void> => {
    await server.close()
  }
  onTestFinished(close)
  return { url, ...client(url), lines, records, server: server.server, close }
}
