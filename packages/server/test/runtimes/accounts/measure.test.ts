import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { measureBy } from '../../../src/runtimes/accounts/measure.ts'

async function measured(status: number, headers: Record<string, string>) {
  const server = createServer((_request, response) => void response.writeHead(status, headers).end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // a TCP server has one
  const noWindows = { fiveHour: null, weekly: null, overageStatus: null, overageDisabledReason: null }
  return measureBy({
    url: `http://127.0.0.1:${port}`,
    headers: {},
    body: {},
    read: () => noWindows,
    usageIn: () => undefined,
  })
}

test.each([
  [401, 'application/json'],
  [401, 'text/html'],
  [403, 'application/json'],
])('status %d with %s rejects the login', async (status, type) => {
  expect(await measured(status, { 'content-type': type })).toMatchObject({ kind: 'login_rejected' })
})

test.each([
  [403, { 'content-type': 'text/html; charset=UTF-8' }],
  [500, {}],
  [200, {}],
])('status %d with the headers %j says nothing about the login', async (status, headers) => {
  expect(await measured(status, headers)).toMatchObject({ kind: 'unavailable' })
})
