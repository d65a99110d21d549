import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient } from '@yardmaster/client/client'
import type { StreamedEvent } from '@yardmaster/contract/events/kinds'
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { testApp, testKey } from '../support/app/app.ts'

type Connection = { lastEventId: string | undefined; url: string; response: ServerResponse }

/** A server of event streams that the test writes itself. */
async function streamServer(onConnect: (connection: Connection, index: number) => void) {
  const connections: Connection[] = []
  const server = createServer(({ headers, url = '' }, response) => {
    const connection = { lastEventId: headers['last-event-id'] as string | undefined, url, response }
    onConnect(connection, connections.push(connection) - 1)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections }
}

function frame(id: number): string {
  return `id: ${id}\nevent: session.created\ndata: {"session_id":${id},"at":"2026-08-22T18:09:42Z"}\n\n`
}

function open(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(text)
}

/** Reads events until there are `count`, then leaves. */
async function take(events: AsyncGenerator<StreamedEvent, void>, count: number): Promise<(number | undefined)[]> {
  const ids: (number | undefined)[] = []
  for await (const { id } of events) {
    ids.push(id)
    if (ids.length === count) break
  }
  return ids
}

describe('client.events', () => {
  test('client.events reads events that arrive in pieces, and passes over heartbeats', async () => {
    const { url } = await streamServer(({ response }) => {
      const text = `: connected\n\n${frame(1)}: heartbeat\n\n${frame(2)}`
      open(response, text.slice(0, 40))
      setTimeout(() => response.write(text.slice(40)), 20)
    })
    expect(await take(createClient({ url, key: 'k' }).events(), 2)).toEqual([1, 2])
  })

  test('client.events reconnects when the connection is cut, and continues after the last event', async () => {
    const { url, connections } = await streamServer(({ response }, index) => {
      open(response, frame(index + 1))
      if (index === 0) setTimeout(() => response.destroy(), 20)
    })
    expect(await take(createClient({ url, key: 'k' }).events({ sessionId: 'a b' }), 2)).toEqual([1, 2])
    expect(connections.map(({ lastEventId }) => lastEventId)).toEqual([undefined, '1'])
    expect(connections[0]?.url).toBe('/api/v1/events?session_id=a%20b')
  })

  test('client.events reports everything it hears, heartbeats included, and every loss of the connection', async () => {
    const { url } = await streamServer(({ response }, index) => {
      open(response, `: connected\n\nid: ${index + 4}\n\n${frame(index + 5)}`)
      if (index === 0) setTimeout(() => response.destroy(), 20)
    })
    const told: unknown[] = []
    const events = createClient({ url, key: 'k' }).events({
      onHeard: (lastId) => told.push(lastId),
      onLost: () => told.push('lost'),
    })
    expect(await take(events, 2)).toEqual([5, 6])
    expect(told).toEqual([undefined, 4, 5, 'lost', 5, 5, 6])
  })

  test('client.events reconnects when the server ends the stream', async () => {
    const { url, connections } = await streamServer(({ response }, index) => {
      open(response, frame(index + 1))
      if (index === 0) response.end()
    })
    expect(await take(createClient({ url, key: 'k' }).events({ after: 0 }), 2)).toEqual([1, 2])
    expect(connections.map(({ lastEventId }) => lastEventId)).toEqual(['0', '1'])
  })

  test('client.events treats a silent connection as dead', async () => {
    // On a busy machine a connection may count as silent before its first event is read.
    const { url, connections } = await streamServer(({ response, lastEventId = '0' }) =>
      open(response, frame(Number(lastEventId) + 1)),
    )
    expect(await take(createClient({ url, key: 'k', silenceMs: 100 }).events(), 2)).toEqual([1, 2])
    expect(connections.map(({ lastEventId }) => lastEventId)).toContain('1')
  })

  test('client.events continues after the position the server names when it connects, though no event came', async () => {
    const { url, connections } = await streamServer(({ response }, index) => {
      open(response, index === 0 ? ': connected\nid: 41\n\n' : frame(42))
      if (index === 0) setTimeout(() => response.destroy(), 20)
    })
    expect(await take(createClient({ url, key: 'k' }).events(), 1)).toEqual([42])
    expect(connections.map(({ lastEventId }) => lastEventId)).toEqual([undefined, '41'])
  })

  test('client.events waits and reconnects while the server is unavailable', async () => {
    const { url, connections } = await streamServer(({ response }, index) => {
      if (index === 0) response.writeHead(503, { 'retry-after': '0' }).end('{}')
      else open(response, frame(7))
    })
    expect(await take(createClient({ url, key: 'k' }).events(), 1)).toEqual([7])
    expect(connections).toHaveLength(2)
  })

  test('client.events throws when the server refuses the stream', async () => {
    const { url } = await streamServer(({ response }) =>
      response.writeHead(401).end('{"error":"Unauthorized","messages":["Invalid or missing API key"]}'),
    )
    await expect(take(createClient({ url, key: 'k' }).events(), 1)).rejects.toMatchObject({ status: 401 })
  })

  test('client.events yields a transient event, and continues after the last event that has an id', async () => {
    const transient =
      'event: transcript.appended\ndata: {"session_id":1,"thread":"main","from":1,"to":2,"at":"now"}\n\n'
    const asked: (string | undefined)[] = []
    const { url } = await streamServer(({ response, lastEventId }) => {
      asked.push(lastEventId)
      open(response, asked.length === 1 ? frame(7) + transient : frame(8))
      if (asked.length === 1) response.end()
    })
    expect(await take(createClient({ url, key: 'k' }).events(), 3)).toEqual([7, undefined, 8])
    expect(asked).toEqual([undefined, '7'])
  })

  test('client.events ends without an error when the caller aborts it', async () => {
    const { url } = await streamServer(({ response }) => open(response, frame(1)))
    const leave = new AbortController()
    const ids: (number | undefined)[] = []
    for await (const { id } of createClient({ url, key: 'k' }).events({ signal: leave.signal })) {
      ids.push(id)
      leave.abort()
    }
    expect(ids).toEqual([1])
  })
})

describe('on the product', () => {
  const app = testApp({ environment: { ROLE: 'web' } })

  test('a client reads the events that follow the position it names, typed by their name', async () => {
    const client = createClient({ url: app.url, key: testKey })
    await client.categories.create({ name: 'Watched' })
    const { session } = await client.sessions.create({ git_root: '/tmp/none', title: 'Watched' })
    for await (const event of client.events({ after: 0 })) {
      if (event.name !== 'session.created') continue
      expect(event.data.session_id).toBe(session.id)
      break
    }
  })

  test('the payload of an event has the type of its declaration', () => {
    type Changed = Extract<StreamedEvent, { name: 'session.status_changed' }>
    expectTypeOf<Changed['data']['session_id']>().toEqualTypeOf<number | null>()
    expectTypeOf<Changed['data']['cause']>().toEqualTypeOf<string>()
  })
})
