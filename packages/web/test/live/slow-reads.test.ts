import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { refresh, refreshAfter } from '../../src/shared/api/hooks.ts'
import { openPage, sharedServer } from '../support/browser.ts'
import { throughSleeper } from '../support/dead-connections.ts'
import { makeSession } from '../support/sessions.ts'

type Read = { signal: AbortSignal; answer(text: string): void }

/** A query on the page whose reads the test answers. */
function shown(cache: QueryClient, queryKey: readonly unknown[]) {
  const reads: Read[] = []
  const observer = new QueryObserver<string>(cache, {
    queryKey,
    queryFn: ({ signal }) => new Promise<string>((answer) => void reads.push({ signal, answer })),
    staleTime: Number.POSITIVE_INFINITY,
    initialData: 'old',
  })
  onTestFinished(observer.subscribe(() => undefined))
  return { reads, data: () => observer.getCurrentResult().data }
}

function emptyCache(): QueryClient {
  const cache = new QueryClient()
  onTestFinished(() => cache.clear())
  return cache
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

test('a read that is running when news come is finished and shown, and one more follows it however much news came', async () => {
  const cache = emptyCache()
  const { reads, data } = shown(cache, ['turns.list', { session_id: '7' }])
  for (let index = 0; index < 5; index += 1) {
    void refresh(cache, ['turns'])
    await settled()
  }
  expect(reads.map(({ signal }) => signal.aborted)).toEqual([false])
  reads[0]?.answer('older than the news')
  await expect.poll(() => reads.length).toBe(2)
  expect(data()).toBe('older than the news')
  void refresh(cache, ['turns'])
  await settled()
  reads[1]?.answer('newer')
  await expect.poll(() => reads.length).toBe(3)
  expect(data()).toBe('newer')
  reads[2]?.answer('newest')
  await expect.poll(data).toBe('newest')
  await settled()
  expect(reads.length).toBe(3)
})

test('a read that is not answered for two minutes is given up when news come', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const cache = emptyCache()
  const { reads, data } = shown(cache, ['turns.list', { session_id: '7' }])
  const hear = async () => {
    void refresh(cache, ['turns'])
    await settled()
  }
  await hear()
  await hear()
  vi.setSystemTime(Date.now() + 121_000)
  await hear()
  await hear()
  expect(reads.map(({ signal }) => signal.aborted)).toEqual([true, false])
  reads[1]?.answer('new')
  await expect.poll(data).toBe('new')
})

test('news about a session read again what names it, what names it by a slug and what is about all, and no other session', async () => {
  const cache = emptyCache()
  const of = (session_id: string | undefined) =>
    shown(cache, ['turns.list', session_id === undefined ? {} : { session_id }])
  const [own, other, bySlug, all] = ['7', '8', 'a-slug', undefined].map(of)
  const counts = () => [own, other, bySlug, all].map((each) => each?.reads.length)
  void refreshAfter(cache, new Map([['turns', new Set([7])]]))
  await expect.poll(counts).toEqual([1, 0, 1, 1])
  // Of an event that names no session.
  void refreshAfter(cache, new Map([['turns', new Set([9, null])]]))
  await expect.poll(counts).toEqual([1, 1, 1, 1])
})

test('a session page shows what changes while events come faster than the server answers its reads', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Read slowly')
  const other = await makeSession('Changes all the time')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByText('live', { exact: true }).waitFor()
  await page.route(`**/v1/sessions/${id}`, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await route.continue()
  })
  await call('PATCH', `/sessions/${id}`, { title: 'Read in the end' })
  const heading = page.getByRole('heading', { name: 'Read in the end' })
  const change = async () => {
    await call('PATCH', `/sessions/${other.id}`, { title: `Changes all the time ${Math.random()}` })
    return heading.isVisible()
  }
  await expect.poll(change, { interval: 150 }).toBe(true)
  expect(faults).toEqual([])
})

test('the next message can be sent as soon as the server has accepted one, though nothing was read again yet', async () => {
  const { id } = await makeSession('Sent one after the other', 'sleep 600', 'running')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  const queue = page.getByRole('button', { name: /^Queue/ })
  await queue.waitFor()
  // No read of the session is answered from here on.
  await page.route(new RegExp(`/v1/sessions/${id}(/turns|/enqueued_messages)?(\\?|$)`), (route) =>
    route.request().method() === 'GET' ? undefined : route.continue(),
  )
  for (const text of ['say one', 'say two']) {
    await message.fill(text)
    await queue.click()
    await expect.poll(() => message.inputValue()).toBe('')
  }
  type Queue = { enqueued_messages: { content: string }[] }
  const { enqueued_messages } = await sharedServer().call<Queue>('GET', `/sessions/${id}/enqueued_messages`)
  expect(enqueued_messages.map(({ content }) => content)).toEqual(['say one', 'say two'])
})

test('the turns of a session are not read again when another session starts and ends a turn', async () => {
  const { id } = await makeSession('Not changed')
  const { page, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByText('live', { exact: true }).waitFor()
  // After this event the page has heard every earlier one of the session.
  await sharedServer().call('PATCH', `/sessions/${id}`, { title: 'Not changed any more' })
  await page.getByRole('heading', { name: 'Not changed any more' }).waitFor()
  const reads: string[] = []
  page.on('request', (request) => reads.push(new URL(request.url()).pathname.replace(/^.*\/v1/, '')))
  await makeSession('Another one')
  // The page shows the tree of the session, which any session may join.
  await expect.poll(() => reads).toContain(`/sessions/${id}`)
  const others = [...reads]
  await sharedServer().call('POST', `/sessions/${id}/follow_up`, { prompt: 'say hello' })
  await expect.poll(() => reads).toContain(`/sessions/${id}/turns`)
  expect(others).not.toContain(`/sessions/${id}/turns`)
})

test.each(['first', 'later'])(
  'a %s read that a sleep of the computer cut off is begun again when the page is live again',
  async (which) => {
    const { call, key } = sharedServer()
    const { id } = await makeSession('Asked in vain')
    const { url, killStreams } = await throughSleeper(sharedServer())
    const { context, page, goto } = await openPage({ server: { url, key } })
    await context.clock.install()
    const address = `**/v1/sessions/${id}`
    let isSwallowed = which === 'first'
    // It stays in force: a route that ends while requests are on their way may keep them.
    await page.route(address, (route) => (isSwallowed ? undefined : route.continue()))
    const first = page.waitForRequest(address)
    await goto(`/sessions/${id}`)
    await first
    await page.getByText('live', { exact: true }).waitFor()
    if (which === 'later') {
      await page.getByRole('heading', { name: 'Asked in vain' }).waitFor()
      isSwallowed = true
      const later = page.waitForRequest(address)
      await call('PATCH', `/sessions/${id}`, { title: 'Asked again' })
      await later
    }
    killStreams()
    isSwallowed = false
    await page.clock.fastForward('01:00:00')
    await page.getByRole('heading', { name: which === 'first' ? 'Asked in vain' : 'Asked again' }).waitFor()
  },
)

test('a transcript whose read a sleep of the computer cut off is read on when the page is live again', async () => {
  const { call, key } = sharedServer()
  const { id } = await makeSession('Read on after a sleep')
  const { url, killStreams } = await throughSleeper(sharedServer())
  const { context, page, goto } = await openPage({ server: { url, key } })
  await context.clock.install()
  await goto(`/sessions/${id}`)
  await page.getByText('live', { exact: true }).waitFor()
  let isSwallowed = true
  await page.route(/\/entries\?/, (route) => (isSwallowed ? undefined : route.continue()))
  const swallowed = page.waitForRequest(/\/entries\?/)
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'say Written while it slept' })
  await swallowed
  killStreams()
  isSwallowed = false
  await page.clock.fastForward('01:00:00')
  await page.getByText('Written while it slept', { exact: true }).waitFor()
})

test('a choice whose answer a sleep of the computer cut off goes back, says that it may have been made, and blocks no other', async () => {
  const { key } = sharedServer()
  const { id } = await makeSession('Chosen before a sleep')
  const { url, killStreams } = await throughSleeper(sharedServer())
  const { context, page, goto } = await openPage({ server: { url, key } })
  await context.clock.install()
  await goto(`/sessions/${id}`)
  await page.getByText('live', { exact: true }).waitFor()
  let isSwallowed = true
  await page.route('**/toggle_favorite', (route) => (isSwallowed ? undefined : route.continue()))
  const star = (name: string) => page.getByRole('button', { name, exact: true })
  await Promise.all([page.waitForRequest('**/toggle_favorite'), star('Make it a favourite').click()])
  killStreams()
  isSwallowed = false
  const isReadAgain = page.waitForResponse((response) => /\/v1\/events\b/.test(response.url()))
  await page.clock.fastForward('01:00:00')
  await isReadAgain
  await page.getByText('live', { exact: true }).waitFor()
  await page.clock.fastForward(20_000)
  await page.getByRole('status').getByText('The connection was lost before the server answered').waitFor()
  await star('Make it a favourite').click()
  await star('Favourite').waitFor()
})
