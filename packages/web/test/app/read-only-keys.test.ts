import { expect, test } from 'vitest'
import { axe, type OpenPage, openPage, overflows, screenshot, startServer } from '../support/browser.ts'

const bannerText = 'Read only: the key that you signed in with can change nothing.'
const operatorPassword = 'one that no guesser finds by asking'

/** The link to the content is out of sight until it has the focus. */
async function cutOff(page: OpenPage['page']): Promise<string[]> {
  return (await overflows(page)).filter((line) => !line.includes('Skip to the content'))
}

/** Makes a key with the form of the operator's page, which shows its secret once. */
async function makeKey({ page, goto }: OpenPage, label: string, scope: 'read' | 'full'): Promise<string> {
  await goto('/supervisor/api_keys')
  // The list above has a filter by scope.
  const form = page.locator('form', { has: page.getByRole('button', { name: 'Make a key' }) })
  await form.getByLabel('Label').fill(label)
  await form.getByLabel('Scope').selectOption(scope)
  await form.getByRole('button', { name: 'Make a key' }).click()
  const shown = page.getByText(/ymk_[\w-]{43}/).first()
  await shown.waitFor()
  return /ymk_[\w-]{43}/.exec((await shown.textContent()) ?? '')?.[0] ?? ''
}

test.each([
  { size: 'desktop', theme: 'light' },
  { size: 'phone', theme: 'dark' },
] as const)('the operator makes a key that reads and revokes it, on a $size in the $theme theme', async (look) => {
  const server = await startServer({ environment: { SUPERVISOR_PASSWORD: operatorPassword } })
  const operator = await openPage({ ...look, server, operatorPassword })
  const { page, goto, faults } = operator
  const key = await makeKey(operator, 'Wall display', 'read')
  await screenshot(page, `api-key-made-${look.size}-${look.theme}`)
  expect(await axe(page)).toEqual([])
  expect(await cutOff(page)).toEqual([])
  const status = async (method: string, path: string) =>
    (await fetch(`${server.url}/api/v1${path}`, { method, headers: { 'x-api-key': key } })).status
  expect([await status('GET', '/sessions'), await status('POST', '/sessions/refresh_all')]).toEqual([200, 403])

  await goto('/supervisor/api_keys')
  expect(await page.content()).not.toContain(key)
  await page.getByRole('row', { name: /Wall display/ }).waitFor()
  await screenshot(page, `api-keys-${look.size}-${look.theme}`)
  expect(await axe(page)).toEqual([])
  expect(await cutOff(page)).toEqual([])
  await page
    .getByRole('row', { name: /Wall display/ })
    .getByRole('link')
    .first()
    .click()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await expect.poll(() => status('GET', '/sessions')).toBe(401)
  expect(faults).toEqual([])
})

test.each([
  { size: 'desktop', theme: 'dark' },
  { size: 'phone', theme: 'light' },
] as const)(
  'a person who signed in with a key that only reads is told so on every page, on a $size in the $theme theme',
  async (look) => {
    const server = await startServer({ environment: { SUPERVISOR_PASSWORD: operatorPassword } })
    const key = await makeKey(await openPage({ server, operatorPassword }), 'Looks on', 'read')
    type Made = { session: { id: number; status: string } }
    const sent = { prompt: 'say Hello', title: 'Stays on the board', agent_root: 'sample' }
    const { session } = await server.call<Made>('POST', '/sessions', sent)
    // At rest, so that its row stays where it is clicked.
    const status = async () => (await server.call<Made>('GET', `/sessions/${session.id}`)).session.status
    await expect.poll(status).toBe('needs_input')
    const { page, goto, faults } = await openPage({ ...look, server: { url: server.url, key } })
    const banner = page.getByText(bannerText)
    for (const path of ['/inbox', '/settings', '/']) {
      await goto(path)
      await banner.waitFor()
    }
    await page.getByRole('button', { name: 'Actions of Stays on the board' }).waitFor()
    // It moves the row down when it comes.
    await page.getByRole('region', { name: 'Needs you' }).waitFor()
    await screenshot(page, `read-only-${look.size}-${look.theme}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    await page.getByRole('button', { name: 'Actions of Stays on the board' }).click()
    await page.getByRole('menuitem', { name: 'Hide' }).click()
    await page.getByRole('status').getByText('This key may only read').waitFor()
    await page.getByRole('button', { name: 'Actions of Stays on the board' }).waitFor()
    expect(faults).toEqual([])
  },
)

test('a person who signed in with a key that may do everything sees no such banner', async () => {
  const server = await startServer({ environment: { SUPERVISOR_PASSWORD: operatorPassword } })
  const key = await makeKey(await openPage({ server, operatorPassword }), 'Does everything', 'full')
  const { page, goto } = await openPage({ server: { url: server.url, key } })
  await goto('/settings')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.getByRole('button', { name: 'Ada' }).waitFor()
  expect(await page.getByText(bannerText).count()).toBe(0)
})
