import type { BrowserContext, Page, Request, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { homeFolder, openPage, screenshot, startServer } from '../support/browser.ts'
import { launchServer, type Server, steadyPort } from '../support/launch-server.ts'

function isStream(request: Request): boolean {
  return /^\/web\/~[^/]+\/v1\/events$/.test(new URL(request.url()).pathname)
}

/**
 * The event streams that tabs of this browser have opened so far, and how many were open at the same time at most. A tab that a busy
 * machine stops for 20 seconds opens another one, after it has ended its own.
 */
function streamsOf(context: BrowserContext): { opened: number; atOnce: number } {
  const open = new Set<Request>()
  const streams = { opened: 0, atOnce: 0 }
  context.on('request', (request) => {
    if (!isStream(request)) return
    open.add(request)
    streams.opened += 1
    streams.atOnce = Math.max(streams.atOnce, open.size)
  })
  context.on('requestfailed', (request) => open.delete(request))
  context.on('requestfinished', (request) => open.delete(request))
  return streams
}

/** Of this file, so that its board holds nothing but the sessions of these tests. */
let server: Server

beforeAll(async () => {
  server = await launchServer()
})

afterAll(() => server.stop())

let made = 0

/** Makes a session that no page has read yet. Answers its title. */
async function makeSession({ call }: Pick<Server, 'call'> = server): Promise<string> {
  made += 1
  const title = `Live ${process.pid} ${made}`
  await call('POST', '/sessions', { title, agent_root: 'sample' })
  return title
}

function row(page: Page, title: string) {
  return page.getByRole('link', { name: title, exact: true })
}

async function openBoard(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.goto('/')
  await page.getByText('live', { exact: true }).waitFor()
  return page
}

describe('the event stream', () => {
  test('twenty tabs of a browser share one stream, and all of them show what happens', async () => {
    const { context } = await openPage({ server })
    const streams = streamsOf(context)
    const tabs: Page[] = []
    for (let index = 0; index < 20; index += 1) tabs.push(await openBoard(context))
    const title = await makeSession()
    await Promise.all(tabs.map((tab) => row(tab, title).waitFor()))
    expect(streams.atOnce).toBe(1)
  })

  test('what changes while a page reads for the first time is shown, though that read does not know of it', async () => {
    const { context, page } = await openPage({ server })
    await context.addInitScript(() => {
      // Without the reads at intervals: the event alone must do.
      const every = window.setInterval
      const patched = (act: () => void, ms = 0) => every(act, ms >= 10_000 ? 2 ** 30 : ms)
      Object.assign(window, { setInterval: patched })
    })
    let answer = (): void => undefined
    const isHeard = new Promise<void>((resolve) => {
      answer = resolve
    })
    const answerLate = async (route: Route) => {
      const response = await route.fetch()
      await isHeard
      await route.fulfill({ response })
    }
    await page.route(/\/v1\/board(\?|$)/, answerLate, { times: 1 })
    await page.goto('/')
    await page.getByText('live', { exact: true }).waitFor()
    // It hears of the session from the first one.
    const other = await openBoard(context)
    const title = await makeSession()
    await row(other, title).waitFor()
    answer()
    await row(page, title).waitFor()
  })

  test('when the tab that reads the stream closes, another one continues after the last event', async () => {
    const { context } = await openPage({ server })
    const first = await openBoard(context)
    const second = await openBoard(context)
    const before = await makeSession()
    await Promise.all([first, second].map((tab) => row(tab, before).waitFor()))
    const asked = new Promise<string | null>((resolve) => {
      context.on('request', (request) => {
        if (isStream(request)) resolve(request.headerValue('last-event-id'))
      })
    })
    await first.close()
    expect(Number(await asked)).toBeGreaterThan(0)
    const after = await makeSession()
    await row(second, after).waitFor()
  })

  test('after kill -9 of the server the page says that it is offline, and catches up: nothing is missing, nothing twice', async () => {
    const home = await homeFolder()
    const port = await steadyPort()
    const killed = await startServer({ home, port })
    const { context } = await openPage({ server: killed })
    const page = await openBoard(context)
    const before = await makeSession(killed)
    await row(page, before).waitFor()
    type Made = { session: { id: number; status: string } }
    const talk = { title: 'Talks', agent_root: 'sample', prompt: 'say The first words' }
    const { session } = await killed.call<Made>('POST', '/sessions', talk)
    const transcript = await context.newPage()
    await transcript.goto(`/sessions/${session.id}`)
    const said = (words: string) => transcript.getByRole('article', { name: 'Agent' }).getByText(words, { exact: true })
    await said('The first words').waitFor()
    await expect
      .poll(async () => (await killed.call<Made>('GET', `/sessions/${session.id}`)).session.status)
      .toBe('needs_input')
    killed.signal('SIGKILL')
    await page.getByText('offline', { exact: true }).waitFor()
    await page.getByText('No connection to the server').waitFor()
    await screenshot(page, 'offline')

    const restarted = await startServer({ home, port })
    const missed = [await makeSession(restarted), await makeSession(restarted)]
    await restarted.call('POST', `/sessions/${session.id}/follow_up`, { prompt: 'say The last words' })
    await page.getByText('live', { exact: true }).waitFor()
    for (const title of missed) await row(page, title).waitFor()
    for (const title of [before, ...missed]) expect(await row(page, title).count()).toBe(1)
    await page.getByText('No connection to the server').waitFor({ state: 'detached' })
    for (const words of ['The first words', 'The last words']) {
      await said(words).waitFor()
      expect(await said(words).count()).toBe(1)
    }
  })

  test('after a sleep of the computer the page reconnects and shows what it missed, once', async () => {
    const { context } = await openPage({ server })
    await context.clock.install()
    const streams = streamsOf(context)
    const page = await openBoard(context)
    const { opened } = streams
    await context.setOffline(true)
    const missed = [await makeSession(), await makeSession()]
    // The clock jumps, as it does when a laptop wakes up; nothing was heard in between.
    await page.clock.fastForward('01:00:00')
    await context.setOffline(false)
    await expect.poll(() => streams.opened).toBeGreaterThan(opened)
    await page.getByText('live', { exact: true }).waitFor()
    const title = await makeSession()
    for (const each of [...missed, title]) {
      await row(page, each).waitFor()
      expect(await row(page, each).count()).toBe(1)
    }
  })
})
