import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type OpenPage, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { fenced, inJson, rewriteEntries } from '../support/entries.ts'
import { ask, makeSession } from '../support/sessions.ts'

serverOfFile()

test('an agent that nests thousands of quotes takes the page away from no one', async () => {
  const { id } = await makeSession('Nests quotes', `say ${'>'.repeat(8_000)}\nsay Still here`)
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  const agent = page.getByRole('article', { name: 'Agent' })
  await agent.getByText('>>>>>>>>').waitFor()
  await agent.getByText('Still here', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await goto(`/?open=${id}`)
  const drawer = page.getByRole('complementary', { name: 'Session beside the board' })
  await drawer.getByText('Still here', { exact: true }).waitFor()
  expect(faults).toEqual([])
})

/** The transcript of a session whose agent says each of these texts. */
async function saysTexts(...texts: string[]): Promise<OpenPage> {
  const { id } = await makeSession('Shows code', texts.map((_, index) => `say TEXT-${index}-`).join('\n'))
  const opened = await openPage()
  await rewriteEntries(opened.page, (body) =>
    texts.reduce((all, text, index) => all.replaceAll(`TEXT-${index}-`, () => inJson(text)), body),
  )
  await opened.goto(`/sessions/${id}`)
  return opened
}

test('code that its grammar would take minutes to read stays as it is, and the code after it has its colours', async () => {
  const { page, faults } = await saysTexts(fenced('html', '<script>'.repeat(8_000)), fenced('ts', 'const lease = 1'))
  const code = page.getByRole('article', { name: 'Agent' }).locator('pre')
  // The page works while the grammar does.
  await page.getByRole('textbox', { name: 'Message' }).fill('Meanwhile')
  await code.locator('span.text-accent-text', { hasText: /^const$/ }).waitFor()
  expect(await code.filter({ hasText: '<script>' }).locator('span').count()).toBe(0)
  expect(faults).toEqual([])
})

test('code stays as it is while the file that colours it is out of reach, and has its colours when it can be read again', async () => {
  const { page, faults } = await saysTexts(fenced('ts', 'const lease = 1'))
  await page.route(/\/assets\/worker-/, (route) => route.abort('connectionrefused'))
  const refused = page.waitForEvent('requestfailed', (request) => /\/assets\/worker-/.test(request.url()))
  const code = page.getByRole('article', { name: 'Agent' }).locator('pre')
  await page.reload()
  await refused
  await code.getByText('const lease = 1').waitFor()
  expect(await code.locator('span').count()).toBe(0)
  await page.unroute(/\/assets\/worker-/)
  await page.reload()
  await code.locator('span.text-accent-text', { hasText: /^const$/ }).waitFor()
  expect(faults).toEqual([])
})

test('marks of direction in a command and in a question are shown, and colours of a terminal are colours', async () => {
  const { id } = await makeSession(
    'Turns its text around',
    String.raw`run printf '\033[31mred\033[0m \342\200\256eman'`,
  )
  await ask(id, 'May I run rm \u202eefas # txt.seton?')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('form', { name: 'Question: May I run rm [U+202E]efas # txt.seton?' }).waitFor()
  await page.getByRole('button', { name: /^run printf/ }).click()
  await page.locator('pre', { hasText: 'red [U+202E]eman' }).waitFor()
  await page.locator('pre span.text-failed', { hasText: /^red$/ }).waitFor()
  await screenshot(page, 'session-marks-of-direction')
  expect(await overflows(page)).toEqual([])
  await goto('/')
  await page.getByRole('region', { name: 'Needs you' }).getByText('rm [U+202E]efas').waitFor()
  expect(faults).toEqual([])
})

test('a line without a break stays inside the transcript', async () => {
  const line = 'x'.repeat(6_000)
  const { id } = await makeSession('Writes one long line', `say ${line}\nsay \`${line}\`\nrun printf ${line}`)
  const { page, goto } = await openPage({ size: 'phone' })
  await goto(`/sessions/${id}`)
  await page.getByRole('button', { name: /^run printf/ }).click()
  await page.getByRole('article', { name: 'Agent' }).first().waitFor()
  expect(await overflows(page)).toEqual([])
})

test('a server on another port of the host, which a person opens by a link of an agent, never gets the sign-in', async () => {
  const visits: { url: string | undefined; cookie: string | undefined; referer: string | undefined }[] = []
  const other = createServer(({ url, headers: { cookie, referer } }, answer) => {
    visits.push({ url, cookie, referer })
    answer.setHeader('content-type', 'text/html')
    answer.end(`${addresses.map((address) => `<img src="${address}">`).join('')}<title>Preview</title>${url}`)
  })
  const { hostname } = new URL(sharedServer().url)
  await new Promise<void>((resolve) => other.listen(0, hostname, resolve))
  onTestFinished(() => void other.close())
  const preview = `http://${hostname}:${(other.address() as AddressInfo).port}/`
  const { id } = await makeSession('Serves a preview', `say See [the preview](${preview})`)
  const { page, context, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  const path = await page.evaluate(() => String(localStorage['yardmaster.private-path']))
  expect(await context.cookies()).toMatchObject([{ name: 'yardmaster', path }])
  const opening = context.waitForEvent('page')
  await page.getByRole('link', { name: 'the preview' }).click()
  const opened = await opening
  await opened.waitForLoadState('load')
  expect(await opened.evaluate(() => ({ ...localStorage }))).toEqual({})
  expect(visits[0]).toEqual({ url: '/', cookie: undefined, referer: undefined })
  expect(visits.map(({ url }) => url)).toEqual(expect.arrayContaining(['/', ...addresses]))
  expect(visits.filter(({ cookie }) => cookie !== undefined)).toEqual([])
  // The cookie is there, for the one path that the other server cannot name.
  await opened.goto(`${preview.slice(0, -1)}${path}/v1`)
  expect(visits.find(({ url }) => url === `${path}/v1`)?.cookie).toMatch(/^yardmaster=/)
  expect(faults).toEqual([])
})

const addresses = ['/web/v1/sessions', '/web/session', '/jobs', '/web/~x/v1', '/mcp_oauth/initiate']
