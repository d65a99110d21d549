import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { idleSession, rowOf } from '../support/board.ts'
import { serverOfFile, sharedServer } from '../support/browser.ts'

const name = 'yard.test'

serverOfFile({ environment: { APP_HOST: name } })

/** A browser that reaches this computer by a name, so that its pages are no secure context. */
async function openByName() {
  const { url, key } = sharedServer()
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    timeout: 120_000,
    args: ['--no-sandbox', '--disable-gpu', `--host-resolver-rules=MAP ${name} 127.0.0.1`],
  })
  onTestFinished(() => browser.close())
  const context = await browser.newContext({ baseURL: `http://${name}:${new URL(url).port}`, reducedMotion: 'reduce' })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const faults: string[] = []
  context.on('weberror', (error) => faults.push(error.error().message))
  await page.goto('/')
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('live', { exact: true }).waitFor()
  expect(await page.evaluate(() => window.isSecureContext)).toBe(false)
  return { context, page, faults }
}

test('over plain http from another computer each tab is live by a stream of its own', async () => {
  const { context, page, faults } = await openByName()
  const other = await context.newPage()
  await other.goto('/')
  await other.getByText('live', { exact: true }).waitFor()
  await idleSession('Heard by both')
  for (const tab of [page, other]) await rowOf(tab, 'Heard by both').waitFor()
  await page.close()
  await idleSession('Heard by one')
  await rowOf(other, 'Heard by one').waitFor()
  expect(faults).toEqual([])
})

test('over plain http from another computer a session is started from its form, and the form of a trigger takes a condition', async () => {
  const { page, faults } = await openByName()
  await page.goto('/sessions/new')
  await page.getByRole('textbox', { name: 'What should the agent do?' }).fill('say hello')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.waitForURL(/\/sessions\/\d+/)
  await page.getByRole('article', { name: 'Agent' }).getByText('hello', { exact: true }).waitFor()
  await page.goto('/triggers/new')
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByRole('menuitem', { name: 'New issue' }).click()
  await page.getByRole('group', { name: 'New issue', exact: true }).waitFor()
  expect(faults).toEqual([])
})
