import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { openPage, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'

type Attempt = { url: string; body: object }

/** A page of a server that is not ours, under a name of this computer. */
async function openForeignPage(context: BrowserContext, hostname: string): Promise<Page> {
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html')
    answer.end('<title>Foreign</title><body></body>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const page = await context.newPage()
  await page.goto(`http://${hostname}:${(server.address() as AddressInfo).port}/`)
  return page
}

/**
 * Sends each as a page of another origin can: three kinds of forms and a text are sent at once, JSON and other methods ask for permission
 * first, and a read is sent. Answers how many answers the page was given to see.
 */
function attack(page: Page, attempts: readonly Attempt[]): Promise<number> {
  return page.evaluate(async (attempts) => {
    const signal = AbortSignal.timeout(60_000)
    const send = (url: string, init: RequestInit) => fetch(url, { ...init, credentials: 'include', signal })
    const fetched: Promise<unknown>[] = []
    for (const [index, { url, body }] of attempts.entries()) {
      const json = JSON.stringify(body)
      for (const enctype of ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded']) {
        const frame = document.createElement('iframe')
        frame.name = `${enctype} ${index}`
        const form = document.createElement('form')
        Object.assign(form, { action: url, method: 'post', enctype, target: frame.name })
        const field = document.createElement('input')
        // As text the body is JSON: `{…,"x":"="}`.
        Object.assign(field, { name: `${json.slice(0, -1)},"x":"`, value: '"}' })
        form.append(field)
        document.body.append(frame, form)
        form.submit()
      }
      fetched.push(
        send(url, { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: json }),
        ...['POST', 'PATCH', 'DELETE'].map((method) =>
          send(url, { method, headers: { 'content-type': 'application/json' }, body: json }),
        ),
        send(url, { method: 'GET' }),
      )
    }
    const answers = await Promise.allSettled(fetched)
    return answers.filter(({ status }) => status === 'fulfilled').length
  }, attempts)
}

test.each([
  ['another site', { hostname: 'localhost', hasCookie: false }],
  ['another port of the host, to which the browser adds the cookie', { hostname: '127.0.0.1', hasCookie: true }],
])('forms and requests of %s change nothing, even where the page knows the private path', async (_, foreign) => {
  const { url, key, call } = sharedServer()
  const title = `Is no business of ${foreign.hostname}`
  const { id } = await makeSession(title)
  const { page, context, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  const path = await page.evaluate(() => String(localStorage['yardmaster.private-path']))
  const [cookies, category] = [await context.cookies(), `Made from ${foreign.hostname}`]
  const other = await openForeignPage(context, foreign.hostname)
  const answers: { status: number; cookie: Promise<string | null> }[] = []
  other.on('response', (response) => {
    const request = response.request()
    if (request.method() !== 'POST') return
    // The browser may say nothing more of a request whose frame has moved on.
    const unsaid = new Promise<null>((resolve) => setTimeout(resolve, 10_000, null))
    const cookie = Promise.race([request.headerValue('cookie').catch(() => null), unsaid])
    answers.push({ status: response.status(), cookie })
  })
  const attempts = ['/web', path].flatMap((base) => [
    { url: `${url}${base}/v1/sessions/${id}/archive`, body: { force: true } },
    { url: `${url}${base}/v1/sessions/${id}/follow_up`, body: { prompt: 'say Not from here' } },
    { url: `${url}${base}/v1/categories`, body: { name: category } },
    { url: `${url}${base}/session`, body: { key, name: 'Mallory' } },
  ])
  expect(await attack(other, attempts)).toBe(0)
  // Those to the forms: the browser keeps back what the server answers to the fetches.
  await expect.poll(() => answers.length).toBe(attempts.length * 3)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]))
  const sent = await Promise.all(answers.map(({ cookie }) => cookie))
  expect(sent.some((cookie) => cookie?.includes('yardmaster='))).toBe(foreign.hasCookie)

  type Shown = { session: { status: string; favorited: boolean } }
  const session = async () => (await call<Shown>('GET', `/sessions/${id}`)).session
  expect(await session()).toMatchObject({ status: 'needs_input', favorited: false })
  expect((await call<{ turns: unknown[] }>('GET', `/sessions/${id}/turns`)).turns).toHaveLength(1)
  const { categories } = await call<{ categories: { name: string }[] }>('GET', '/categories')
  expect(categories.map(({ name }) => name)).not.toContain(category)
  expect(await context.cookies()).toEqual(cookies)

  await page.bringToFront()
  await page.getByRole('button', { name: 'Make it a favourite' }).click()
  await expect.poll(async () => (await session()).favorited).toBe(true)
  await page.reload()
  await page.getByRole('heading', { name: title }).waitFor()
  await page.getByRole('button', { name: 'Ada' }).waitFor()
  expect(faults).toEqual([])
})
