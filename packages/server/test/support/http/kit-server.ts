import type { Server } from 'node:http'
import { onTestFinished } from 'vitest'
import { apiKeys } from '../../../src/platform/http/api-keys.ts'
import { type Endpoint, endpointDeclaring } from '../../../src/platform/http/endpoint.ts'
import { keyCheck } from '../../../src/platform/http/key-check.ts'
import { registerEndpoints } from '../../../src/platform/http/register.ts'
import { type HttpTimeouts, openHttpServer } from '../../../src/platform/http/server.ts'
import { client, type TestApp, testKey } from '../app/app.ts'
import { type LogRecord, recordedLog } from '../log/recorded-log.ts'

/** What the kit's own test endpoints are handed: nothing. */
type NoApp = Record<never, never>

export const { defineEndpoint, listEndpoint } = endpointDeclaring<NoApp>()

export type KitServer = Pick<TestApp, 'get' | 'post' | 'patch' | 'delete' | 'send' | 'url'> & {
  lines(): string[]
  records(): LogRecord[]
  server: Server
  close(): Promise<void>
}

type Options = {
  timeouts?: HttpTimeouts
  hosts?: readonly string[]
  keys?: readonly string[]
  isProxied?: boolean
  isChecking?: boolean
  logLevel?: string
}

/** The HTTP kit alone, on a real socket, with endpoints of the test's own; gone when the test is. */
export async function kitServer(endpoints: readonly Endpoint<NoApp>[], options: Options = {}): Promise<KitServer> {
  const { timeouts, hosts = [], keys = [testKey], isProxied, isChecking = false, logLevel } = options
  const { log, lines, records } = recordedLog(logLevel)
  const server = openHttpServer({
    log,
    keys: keyCheck(apiKeys(keys), { log }),
    hosts,
    isProxied,
    ...(timeouts && { timeouts }),
  })
  registerEndpoints(server, endpoints, { app: {}, prefix: '/api/v1', isChecking })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const close = async (): Promise<void> => {
    await server.close()
  }
  onTestFinished(close)
  return { url, ...client(url), lines, records, server: server.server, close }
}
