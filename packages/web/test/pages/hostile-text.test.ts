import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { ask, makeSession } from '../support/sessions.ts'

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

test('marks of direction in a command and in a question are shown, and colours of a terminal are not', async () => {
  const { id } = await makeSession(
    'Turns its text around',
    String.raw`run printf '\033[31mred\033[0m \342\200\256eman'`,
  )
  await ask(id, 'May I run rm \u202eefas # txt.seton?')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('form', { name: 'Question: May I run rm [U+202E]efas # txt.seton?' }).waitFor()
  await page.getByRole('button', { name: /^run printf/ }).click()
  await page.getByText('red [U+202E]eman').waitFor()
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

test('a link to another port of the host, which would get the sign-in along, does not open', async () => {
  const visits: (string | undefined)[] = []
  const other = createServer(({ headers }, answer) => {
    visits.push(headers.cookie)
    answer.setHeader('content-type', 'text/html')
    answer.end('<h1>Preview</h1><img src="/web/pixel">')
  })
  const { hostname } = new URL(sharedServer().url)
  await new Promise<void>((resolve) => other.listen(0, hostname, resolve))
  onTestFinished(() => void other.close())
  const address = `http://${hostname}:${(other.address() as AddressInfo).port}/`
  const { id } = await makeSession('Serves a preview', `say See [the preview](${address})`)
  const { page, context, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  const link = page.getByRole('link', { name: 'the preview' })
  const dialog = page.getByRole('dialog', { name: 'This link was not opened' })
  for (const button of ['left', 'middle'] as const) {
    await link.click({ button })
    await dialog.getByText(address, { exact: true }).waitFor()
    expect(await axe(page)).toEqual([])
    await screenshot(page, 'link-not-opened')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  expect({ visits, pages: context.pages().length }).toEqual({ visits: [], pages: 1 })
  expect(faults).toEqual([])
})
