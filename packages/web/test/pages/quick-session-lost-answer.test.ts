import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPage, serverOfFile, sharedServer, takeFromPalette } from '../support/browser.ts'

serverOfFile()

/** The server does what it is asked, but the page learns of no answer. */
async function loseAnswers(page: Page): Promise<void> {
  await page.route('**/v1/sessions', async (route) => {
    await route.fetch()
    await route.abort('connectionreset')
  })
}

async function promptsWith(word: string): Promise<string[]> {
  const { sessions } = await sharedServer().call<{ sessions: { prompt: string }[] }>('GET', '/sessions?per_page=100')
  return sessions.flatMap(({ prompt }) => prompt.split('\n')[0] ?? []).filter((prompt) => prompt.includes(word))
}

test('a prompt of the board that is edited after the answer was lost starts a session of its own', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/')
  const field = page.getByRole('textbox', { name: /^Start a session/ })
  await loseAnswers(page)
  await field.fill('say quagga')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByText('The server could not be reached.').waitFor()
  await page.unroute('**/v1/sessions')

  await field.fill('say quagga again')
  await field.press('Enter')
  await page.getByRole('status').getByText('Started “say quagga again”').waitFor()
  await expect.poll(() => field.inputValue()).toBe('')
  expect((await promptsWith('quagga')).sort()).toEqual(['say quagga', 'say quagga again'])
  expect(faults).toEqual([])
})

test('a question that is sent again after the answer was lost is one session, and one that is asked later is another', async () => {
  const { page, faults, goto } = await openPage()
  await goto('/inbox')
  const question = page.getByLabel('What do you want to know, or to be done?')
  const ask = () => takeFromPalette(page, 'Ask an agent about', 'Ask an agent about this page')
  const start = page.getByRole('dialog').getByRole('button', { name: 'Start' })
  await ask()
  await loseAnswers(page)
  await question.fill('say okapi')
  await start.click()
  await page.getByText('The server could not be reached.').waitFor()
  await page.unroute('**/v1/sessions')
  await start.click()
  await question.waitFor({ state: 'detached' })
  expect(await promptsWith('okapi')).toEqual(['say okapi'])

  await ask()
  await question.fill('say okapi')
  await start.click()
  await question.waitFor({ state: 'detached' })
  expect(await promptsWith('okapi')).toEqual(['say okapi', 'say okapi'])
  expect(faults).toEqual([])
})
