import { limits } from '@yardmaster/contract/limits'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { noContent, ok } from '../../../src/platform/http/answer.ts'
import { defaultTimeouts } from '../../../src/platform/http/server.ts'
import { testKey } from '../../support/app/app.ts'
import { defineEndpoint, kitServer } from '../../support/http/kit-server.ts'
import { openRaw, requestHead } from '../../support/http/raw-http.ts'

const whole = `{"text":"${'x'.repeat(limits.bodyBytes - '{"text":""}'.length)}"}`
/** Four of the largest bodies that an endpoint takes by default. */
const atOnce = 4

/** The time for a request counts while its body waits for its turn. */
const timeouts = { ...defaultTimeouts, headersMs: 120_000, requestMs: 120_000 }

/** A server whose handler works until the test ends its work. `begun` counts the bodies that were let in, `late` those of late callers. */
async function busyServer() {
  const working: (() => void)[] = []
  const counts = { begun: 0, late: 0 }
  const toEnd = async (): Promise<number> => {
    counts.begun += 1
    const place = counts.begun
    await new Promise<void>((resolve) => working.push(resolve))
    return place
  }
  const work = defineEndpoint({
    method: 'POST',
    path: '/work',
    tag: 'Test',
    summary: 'Work until the test says so',
    body: z.looseObject({}),
    answers: { 200: z.object({ place: z.int() }) },
    handle: async () => ok({ place: await toEnd() }),
  })
  const measure = defineEndpoint({
    method: 'POST',
    path: '/measure',
    tag: 'Test',
    summary: 'Measure a text',
    body: z.object({ text: z.string() }),
    answers: { 200: z.object({ length: z.int() }) },
    handle: async ({ body }) => ok({ length: body.text.length }),
  })
  const wait = defineEndpoint({
    method: 'GET',
    path: '/wait',
    tag: 'Test',
    summary: 'Wait until the test says so',
    query: z.object({ late: z.string().optional(), bytes: z.coerce.number().default(16 * 1024 ** 2) }),
    answers: { 200: z.object({ place: z.int() }) },
    refusals: ['too_many_downloads'],
    handle: async (request) => {
      const { query } = request
      await request.turnToAnswer(query.bytes)
      if (query.late) counts.late += 1
      return ok({ place: await toEnd() })
    },
  })
  const fallback = {
    accepts: async () => true,
    serve: async (_request: FastifyRequest, reply: FastifyReply) => {
      await toEnd()
      return reply.send('')
    },
  }
  const { url } = await kitServer([work, measure, wait], {
    fallback,
    timeouts,
    addRoutes: (server) =>
      server.post('/agent', { config: { auth: 'none', identifiesCaller: true } }, async (request, reply) => {
        if (request.headers['x-passed-on']) server.endBody(request)
        await toEnd()
        return reply.send('')
      }),
  })
  const post = (path: string, body: string | ReadableStream) =>
    fetch(`${url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'x-api-key': testKey, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit).then(({ status }) => status)
  const postAsAgent = (headers: Record<string, string> = {}) =>
    fetch(`${url}/agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: whole,
    }).then(({ status }) => status)
  const endOne = () => working.shift()?.()
  const endAll = async (answers: Promise<unknown>[]) => {
    const timer = setInterval(endOne, 5)
    await Promise.allSettled(answers).finally(() => clearInterval(timer))
  }
  return { url, counts, post, postAsAgent, endOne, endAll }
}

describe('large bodies', () => {
  test('wait for their turn where together they would take too much memory, while small ones are answered', async () => {
    const { counts, post, endOne, endAll } = await busyServer()
    const answers = Array.from({ length: atOnce + 2 }, () => post('work', whole))
    await expect.poll(() => counts.begun).toBe(atOnce)
    expect(await post('measure', '{"text":"small"}')).toBe(200)
    expect(counts.begun).toBe(atOnce)
    endOne()
    await expect.poll(() => counts.begun).toBe(atOnce + 1)
    await endAll(answers)
    expect(await Promise.all(answers)).toEqual(answers.map(() => 200))
  })

  test('of callers who hang up while they wait or while they send leave their turn to others', async () => {
    const { url, counts, post, endAll } = await busyServer()
    const head = requestHead('POST /api/v1/work', [
      `X-API-Key: ${testKey}`,
      'Content-Type: application/json',
      `Content-Length: ${whole.length}`,
    ])
    const gone = Array.from({ length: 3 * atOnce }, () => openRaw(url))
    for (const connection of gone) connection.send(`${head}{`)
    // Answered after the heads before it were read.
    await post('measure', '{"text":"small"}')
    for (const connection of gone) connection.end()
    await Promise.all(gone.map(({ closed }) => closed))
    const answers = Array.from({ length: atOnce }, () => post('work', whole))
    await expect.poll(() => counts.begun).toBe(atOnce)
    await endAll(answers)
    expect(await Promise.all(answers)).toEqual(answers.map(() => 200))
  })

  test('behind another request of their connection leave their turn when the caller hangs up', async () => {
    const { url, counts, post, endAll } = await busyServer()
    const headers = [`X-API-Key: ${testKey}`, 'Content-Type: application/json']
    const before = `${requestHead('POST /api/v1/work', [...headers, 'Content-Length: 2'])}{}`
    const large = `${requestHead('POST /api/v1/work', [...headers, `Content-Length: ${whole.length}`])}{`
    const gone = Array.from({ length: 2 * atOnce }, () => openRaw(url))
    for (const connection of gone) connection.send(before + large)
    await expect.poll(() => counts.begun).toBe(gone.length)
    for (const connection of gone) connection.end()
    await Promise.all(gone.map(({ closed }) => closed))
    const answers = Array.from({ length: atOnce }, () => post('work', whole))
    await expect.poll(() => counts.begun).toBe(gone.length + atOnce)
    await endAll(answers)
    expect(await Promise.all(answers)).toEqual(answers.map(() => 200))
  })

  test('of requests that no route reads take no turn', async () => {
    const { url, counts, post, endAll } = await busyServer()
    const chunked = [`X-API-Key: ${testKey}`, 'Transfer-Encoding: chunked']
    const unread = Array.from({ length: atOnce }, () => openRaw(url))
    for (const connection of unread) connection.send(`${requestHead('GET /api/v1/wait', chunked)}0\r\n\r\n`)
    await expect.poll(() => counts.begun).toBe(atOnce)
    const answers = Array.from({ length: atOnce }, () => post('work', whole))
    await expect.poll(() => counts.begun).toBe(2 * atOnce)
    await endAll(answers)
    for (const connection of unread) connection.end()
  })

  test.each(['GET', 'POST'])('of strangers who ask by %s for what no route answers take no turn', async (method) => {
    const { url, counts, post, endAll } = await busyServer()
    const unread = Array.from({ length: atOnce }, () => openRaw(url))
    const head = requestHead(`${method} /whatever`, [
      'Accept: text/html',
      'Content-Type: application/json',
      `Content-Length: ${whole.length}`,
    ])
    for (const connection of unread) connection.send(`${head}{`)
    await post('measure', '{"text":"small"}')
    if (method === 'GET') await expect.poll(() => counts.begun).toBe(atOnce)
    const before = counts.begun
    const answers = Array.from({ length: atOnce }, () => post('work', whole))
    await expect.poll(() => counts.begun).toBeGreaterThanOrEqual(before + atOnce)
    await endAll(answers)
    for (const connection of unread) connection.end()
  })

  test('of agents wait for each other, and keep no other caller waiting', async () => {
    const { counts, post, postAsAgent, endAll } = await busyServer()
    const ofAgents = Array.from({ length: atOnce }, () => postAsAgent())
    await expect.poll(() => counts.begun).toBe(atOnce / 2)
    expect(await post('measure', '{"text":"small"}')).toBe(200)
    expect(counts.begun).toBe(atOnce / 2)
    const answers = Array.from({ length: atOnce }, () => post('work', whole))
    await expect.poll(() => counts.begun).toBe(atOnce / 2 + atOnce)
    await endAll([...ofAgents, ...answers])
    expect(await Promise.all([...ofAgents, ...answers])).toEqual(Array(2 * atOnce).fill(200))
  })

  test('that a handler has passed on leave their turn, however long its answer takes', async () => {
    const { counts, postAsAgent, endAll } = await busyServer()
    const answers = Array.from({ length: 2 * atOnce }, () => postAsAgent({ 'x-passed-on': 'yes' }))
    await expect.poll(() => counts.begun).toBe(2 * atOnce)
    await endAll(answers)
    expect(await Promise.all(answers)).toEqual(answers.map(() => 200))
  })

  test('that do not say their length count as the largest that the endpoint takes', async () => {
    const { counts, post, endAll } = await busyServer()
    const answers = Array.from({ length: atOnce + 1 }, () => post('work', new Blob(['{}']).stream()))
    await expect.poll(() => counts.begun).toBe(atOnce)
    expect(await post('measure', '{"text":"small"}')).toBe(200)
    expect(counts.begun).toBe(atOnce)
    await endAll(answers)
    expect(counts.begun).toBe(atOnce + 1)
  })

  test('of strangers are refused above 16 kB, before they are received', async () => {
    const signIn = defineEndpoint({
      method: 'POST',
      path: '/sign_in',
      tag: 'Test',
      summary: 'Take a key of a stranger',
      auth: 'none',
      body: z.object({ text: z.string() }),
      answers: { 204: 'nothing' },
      handle: async () => noContent(),
    })
    const { url } = await kitServer([signIn])
    const post = (length: number) =>
      fetch(`${url}/api/v1/sign_in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'x'.repeat(length) }),
      }).then(({ status }) => status)
    expect(await post(16_000)).toBe(204)
    expect(await post(16 * 1024)).toBe(413)
    const connection = openRaw(url)
    connection.send(requestHead('POST /api/v1/sign_in', ['Content-Type: application/json', 'Content-Length: 8000000']))
    expect((await connection.answer()).status).toBe(413)
    connection.end()
  })

  test('that are longer than the endpoint takes are refused at once', async () => {
    const { counts, post, endAll } = await busyServer()
    const answers = Array.from({ length: atOnce }, () => post('work', whole))
    await expect.poll(() => counts.begun).toBe(atOnce)
    expect(await post('measure', `${whole} `)).toBe(413)
    await endAll(answers)
  })
})

describe('large answers', () => {
  /** More than the buffers between two processes hold. */
  const text = 'x'.repeat(32 * 1024 ** 2)
  const large = defineEndpoint({
    method: 'GET',
    path: '/large',
    tag: 'Test',
    summary: 'Answer with a long text',
    answers: { 200: z.object({ text: z.string() }) },
    handle: async () => ok({ text }),
  })
  const oneMegabyte = `{"text":"${'x'.repeat(1024 ** 2)}"}`
  const getWait = (url: string, query = '') =>
    fetch(`${url}/api/v1/wait${query}`, { headers: { 'x-api-key': testKey } }).then(({ status }) => status)

  test('are made in turn where together they would take too much memory, while others are answered', async () => {
    const { url, counts, post, endOne, endAll } = await busyServer()
    const answers = Array.from({ length: atOnce + 1 }, () => getWait(url))
    await expect.poll(() => counts.begun).toBe(atOnce)
    expect(await post('measure', oneMegabyte)).toBe(200)
    expect(counts.begun).toBe(atOnce)
    endOne()
    await expect.poll(() => counts.begun).toBe(atOnce + 1)
    await endAll(answers)
    expect(await Promise.all(answers)).toEqual(answers.map(() => 200))
  })

  test('that are small, or refused, wait for none of them', async () => {
    const { url, counts, endAll } = await busyServer()
    const answers = Array.from({ length: atOnce + 1 }, () => getWait(url))
    await expect.poll(() => counts.begun).toBe(atOnce)
    const small = getWait(url, '?bytes=1000')
    await expect.poll(() => counts.begun).toBe(atOnce + 1)
    await endAll([...answers, small])
    expect(await small).toBe(200)
  })

  test('that get no turn in time are answered 503 with the time to wait, and leave the queue', async () => {
    const { url, counts, endAll } = await busyServer()
    const answers = Array.from({ length: atOnce }, () => getWait(url))
    await expect.poll(() => counts.begun).toBe(atOnce)
    const late = await fetch(`${url}/api/v1/wait`, { headers: { 'x-api-key': testKey } })
    expect(late.status).toBe(503)
    expect(await late.json()).toMatchObject({ error: 'Too many downloads', retry_after: 10 })
    await endAll(answers)
    const next = getWait(url)
    await expect.poll(() => counts.begun).toBe(atOnce + 1)
    await endAll([next])
  })

  test('whose callers hang up leave their turn to others', async () => {
    const { url, counts, endAll } = await busyServer()
    const gone = Array.from({ length: 2 * atOnce }, () => openRaw(url))
    for (const connection of gone) connection.send(requestHead('GET /api/v1/wait', [`X-API-Key: ${testKey}`]))
    await expect.poll(() => counts.begun).toBe(atOnce)
    for (const connection of gone) connection.end()
    await Promise.all(gone.map(({ closed }) => closed))
    // A caller of the first group may begin just before its own connection closes, so only the second group is counted.
    const answers = Array.from({ length: atOnce }, () => getWait(url, '?late=yes'))
    await expect.poll(() => counts.late).toBe(atOnce)
    await endAll(answers)
    expect(await Promise.all(answers)).toEqual(answers.map(() => 200))
  })

  test('that a caller takes nothing of are given up', async () => {
    const { url, lines } = await kitServer([large], { timeouts: { ...defaultTimeouts, stalledMs: 50 } })
    const connection = openRaw(url)
    connection.socket.pause()
    connection.send(requestHead('GET /api/v1/large', [`X-API-Key: ${testKey}`]))
    await expect.poll(() => lines().join('\n')).toContain('disconnected a caller that took nothing of its answer')
    connection.end()
  })

  test('that a caller takes too slowly are given up, because others wait for the memory', async () => {
    const timeouts = { ...defaultTimeouts, stalledMs: 2_000, slowestBytesPerSecond: Number.POSITIVE_INFINITY }
    const { url, lines } = await kitServer([large], { timeouts })
    const connection = openRaw(url)
    // It takes some of the answer all the time, so it is never idle.
    connection.socket.on('data', () => {
      connection.socket.pause()
      setTimeout(() => connection.socket.resume(), 50)
    })
    connection.send(requestHead('GET /api/v1/large', [`X-API-Key: ${testKey}`]))
    await expect.poll(() => lines().join('\n')).toContain('disconnected a caller that took its answer too slowly')
    connection.end()
  })
})
