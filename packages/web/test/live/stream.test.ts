import type { BrowserContext, Page, Request, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { homeFolder, openPage, screenshot, startServer } from '../support/browser.ts'
import { fileOf } from '../support/built-files.ts'
import { throughSleeper } from '../support/dead-connections.ts'
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

/** Without the reads at intervals: the event alone must do. */
async function onlyByEvents(pages: BrowserContext | Page): Promise<void> {
  await pages.addInitScript(() => {
    const every = window.setInterval
    const patched = (act: () => void, ms = 0) => every(act, ms >= 10_000 ? 2 ** 30 : ms)
    Object.assign(window, { setInterval: patched })
  })
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
    await onlyByEvents(context)
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

  test('a page that opens reads each thing once, and shows what changed before its stream was open', async () => {
    const { page } = await openPage({ server })
    const reads: string[] = []
    page.on('request', (request) => {
      const [, address] = /\/v1(\/.*)$/.exec(request.url()) ?? []
      if (address && !isStream(request)) reads.push(address)
    })
    let open = (): void => undefined
    const mayOpen = new Promise<void>((resolve) => {
      open = resolve
    })
    await page.route(/\/v1\/events$/, async (route) => {
      await mayOpen
      await route.continue()
    })
    await page.goto('/settings')
    const quota = page.getByLabel('Weekly quota, percent')
    await quota.waitFor()
    await server.call('PATCH', '/settings', { spot_gate_weekly_threshold_pct: 72 })
    open()
    await expect.poll(() => quota.inputValue()).toBe('72')
    await server.call('PATCH', '/settings', { spot_gate_weekly_threshold_pct: 73 })
    await expect.poll(() => quota.inputValue()).toBe('73')
    // What no event was about.
    const others = reads.filter((address) => /^\/(sign_ins|push_subscriptions|catalog)/.test(address))
    expect(others.length).toBeGreaterThan(2)
    expect(others).toEqual([...new Set(others)])
  })

  test('a change that the other tabs heard between the first read of a tab and its listening is shown', async () => {
    const { context, page } = await openPage({ server })
    await page.goto('/')
    await page.getByText('live', { exact: true }).waitFor()
    const tab = await context.newPage()
    await onlyByEvents(tab)
    let load = (): void => undefined
    const mayLoad = new Promise<void>((resolve) => {
      load = resolve
    })
    // The board is read while its code is loaded; the tab listens when it has the code.
    await tab.route(`**/${await fileOf('src/features/board/board-page.tsx')}`, async (route) => {
      await mayLoad
      await route.continue()
    })
    const isRead = tab.waitForResponse(/\/v1\/board\?/)
    await tab.goto('/', { waitUntil: 'commit' })
    await (await isRead).finished()
    const title = await makeSession()
    await row(page, title).waitFor()
    load()
    await row(tab, title).waitFor()
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

  test('after a sleep of the computer an open transcript shows what it missed: nothing is missing, nothing twice', async () => {
    type Made = { session: { id: number } }
    const talk = { title: 'Talks through a sleep', agent_root: 'sample', prompt: 'say The first words' }
    const { session } = await server.call<Made>('POST', '/sessions', talk)
    const ended = async () => {
      type Turns = { turns: { ended_at: string | null }[] }
      const { turns } = await server.call<Turns>('GET', `/sessions/${session.id}/turns`)
      return turns.filter(({ ended_at }) => ended_at !== null).length
    }
    const say = async (words: string) => {
      const before = await ended()
      await server.call('POST', `/sessions/${session.id}/follow_up`, { prompt: `say ${words}` })
      await expect.poll(ended).toBe(before + 1)
    }
    await expect.poll(ended).toBe(1)
    const { url, killStreams } = await throughSleeper(server)
    const { context, page } = await openPage({ server: { url, key: server.key } })
    await onlyByEvents(context)
    await context.clock.install()
    const streams = streamsOf(context)
    await page.goto(`/sessions/${session.id}`)
    await page.getByText('live', { exact: true }).waitFor()
    const said = (words: string) => page.getByRole('article', { name: 'Agent' }).getByText(words, { exact: true })
    await said('The first words').waitFor()
    const { opened } = streams
    killStreams()
    await say('Said in the sleep')
    await say('Said later in the sleep')
    await page.clock.fastForward('01:00:00')
    await expect.poll(() => streams.opened).toBeGreaterThan(opened)
    await say('Said after the sleep')
    const all = ['The first words', 'Said in the sleep', 'Said later in the sleep', 'Said after the sleep']
    for (const words of all) await said(words).waitFor()
    const articles = await page.getByRole('article', { name: 'Agent' }).allInnerTexts()
    expect(articles.flatMap((text) => all.filter((words) => text.includes(words)))).toEqual(all)
  })

  test('a page that is looked at again drops a stream that was silent for more than 20 seconds, and shows what it missed', async () => {
    const { url, killStreams } = await throughSleeper(server)
    const { context } = await openPage({ server: { url, key: server.key } })
    await onlyByEvents(context)
    await context.clock.install()
    const streams = streamsOf(context)
    const page = await openBoard(context)
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 5_000))
    await hearNow(page)
    killStreams()
    const missed = await makeSession()
    const lookAgain = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    const { opened } = streams
    // Seconds pass one by one, and fewer than after which the page gives up by itself.
    await page.clock.runFor(19_000)
    await lookAgain()
    await page.clock.runFor(2_000)
    expect(streams.opened).toBe(opened)
    await lookAgain()
    await page.clock.runFor(100)
    await expect.poll(() => streams.opened).toBe(opened + 1)
    await page.clock.resume()
    await row(page, missed).waitFor()
    expect(await row(page, missed).count()).toBe(1)
  })
})

/** Returns when the stream of the page has brought an event. */
async function hearNow(page: Page): Promise<void> {
  const heard = await page.evaluateHandle(() => {
    const channel = new BroadcastChannel('yardmaster.events')
    return { event: new Promise<void>((resolve) => channel.addEventListener('message', () => resolve())) }
  })
  await makeSession()
  await heard.evaluate(({ event }) => event)
}
