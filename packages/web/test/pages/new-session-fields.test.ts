import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { betaCli } from '../../../server/test/support/accounts/vendor-server.ts'
import { axe, keepBack, openPage, overflows, screenshot } from '../support/browser.ts'
import { launchServer, type Server } from '../support/launch-server.ts'

let server: Server
let files: string
let repository: string

/** A server with one agent that is not installed, one that is not signed in, and an MCP server whose secret is missing. */
beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'yardmaster-web-files-'))
  const catalog = join(files, 'catalog')
  await cp(fileURLToPath(new URL('../../../server/catalog', import.meta.url)), catalog, { recursive: true })
  const servers = JSON.parse(await readFile(join(catalog, 'mcp.json'), 'utf8'))
  const tracker = {
    ...{ type: 'streamable-http', title: 'Tracker', description: 'Issues', url: 'https://tracker.example/mcp' },
    headers: { authorization: `Bearer \${TRACKER_TOKEN_OF_THIS_TEST}` },
  }
  await writeFile(join(catalog, 'mcp.json'), JSON.stringify({ ...servers, tracker }))
  repository = join(files, 'repository')
  await mkdir(join(repository, 'docs'), { recursive: true })
  await writeFile(join(repository, 'docs', 'only-on-the-branch.md'), 'A page\n')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.test', ...args])
  git('init', '--quiet', '--initial-branch=main')
  git('commit', '--quiet', '--allow-empty', '--message=Begin')
  git('switch', '--quiet', '--create=docs-branch')
  git('add', '.')
  git('commit', '--quiet', '--message=Write a page')
  git('switch', '--quiet', 'main')
  const environment = {
    CATALOG_PATH: catalog,
    RUNTIME_ALPHA_COMMAND: join(files, 'no-such-program'),
    RUNTIME_BETA_COMMAND: betaCli,
  }
  server = await launchServer({ environment })
})

afterAll(async () => {
  await server.stop()
  await rm(files, { recursive: true, force: true })
})

type Session = Record<string, unknown> & { status: string }

async function madeOn(page: Page): Promise<Session> {
  await page.waitForURL(/\/sessions\/\d+$/)
  return (await server.call<{ session: Session }>('GET', new URL(page.url()).pathname)).session
}

const promptLabel = 'What should the agent do?'

test('without a root, a session works on the repository, the branch and the directory that the form names', async () => {
  const { page, faults, goto } = await openPage({ server })
  await goto('/sessions/new')
  await page.getByLabel(promptLabel).fill('run ls')
  await page.getByLabel('Root').selectOption('None: name a repository yourself')
  const field = page.getByLabel('Repository')
  // The form does not start without one: a root would have named it.
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  expect(await field.evaluate((input: HTMLInputElement) => input.validity.valueMissing)).toBe(true)
  await field.fill(repository)
  await page.getByLabel('Branch').fill('docs-branch')
  await page.getByLabel('Runtime').selectOption('demo')
  await page.getByText('Title, goal, class and more').click()
  await page.getByLabel('Directory').fill('docs')
  await screenshot(page, 'new-session-without-root')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  expect(await madeOn(page)).toMatchObject({ git_root: repository, branch: 'docs-branch', subdirectory: 'docs' })
  // The agent lists the directory of the branch.
  await page.getByRole('button', { name: /^run ls/ }).click()
  await page.getByText('only-on-the-branch.md').first().waitFor()
  await page.getByRole('tab', { name: 'Info' }).click()
  const details = page.getByRole('region', { name: 'Details' })
  for (const shown of [repository, 'docs-branch', 'docs']) await details.getByText(shown, { exact: true }).waitFor()
  expect(faults).toEqual([])
})

test('a session gets the model, the goal and the compaction window of the form, which warns that its agent is not installed', async () => {
  type Configs = { runtime_models: Record<string, { default: string; models: { id: string; label: string }[] }> }
  const { runtime_models } = await server.call<Configs>('GET', '/configs')
  const { default: usual, models = [] } = runtime_models.runtime_alpha ?? {}
  const [other] = models.filter(({ id }) => id !== usual)
  const { page, faults, goto } = await openPage({ server })
  await goto('/sessions/new')
  await page.getByLabel(promptLabel).fill('say hello')
  await page.getByLabel('Runtime').selectOption('runtime_alpha')
  await page.getByText('is not installed: the session will fail.').waitFor()
  await page.getByLabel('Model', { exact: true }).selectOption({ label: other?.label ?? '' })
  await page.getByText('Title, goal, class and more').click()
  await page.getByLabel('Goal').fill('Say hello to everyone')
  await page.getByLabel('Compact at').fill('90000')
  await screenshot(page, 'new-session-not-installed')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  expect(await madeOn(page)).toMatchObject({
    agent_runtime: 'runtime_alpha',
    config: { model: other?.id },
    goal: 'Say hello to everyone',
    auto_compact_window: 90_000,
  })
  await page.getByText('Say hello to everyone').first().waitFor()
  await page.getByRole('button', { name: other?.label ?? '', exact: true }).waitFor()
  // It failed as the form said.
  await page.getByText(/^Failed: /).waitFor()
  expect(faults).toEqual([])
})

test('the form names an agent that is not signed in, and says on another page what to do', async () => {
  const { page, faults, goto } = await openPage({ server, size: 'phone', theme: 'dark' })
  await goto('/sessions/new')
  await page.getByLabel('Runtime').selectOption('runtime_beta')
  const warning = page.getByText('is not signed in: the session will fail.')
  await warning.waitFor()
  await screenshot(page, 'new-session-not-signed-in-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await page.getByLabel('Runtime').selectOption('demo')
  await warning.waitFor({ state: 'detached' })
  await page.getByLabel('Runtime').selectOption('runtime_beta')
  await page.getByRole('link', { name: 'What to do' }).click()
  await page.waitForURL('**/clis')
  expect(faults).toEqual([])
})

test('the form names a chosen MCP server that will be left out, and why', async () => {
  type Servers = { mcp_servers: { name: string; unavailable_reason: string | null }[] }
  const { mcp_servers } = await server.call<Servers>('GET', '/mcp_servers')
  const reason = mcp_servers.find(({ name }) => name === 'tracker')?.unavailable_reason ?? ''
  expect(reason).toContain('TRACKER_TOKEN_OF_THIS_TEST')
  const { page, faults, goto } = await openPage({ server })
  await goto('/sessions/new')
  await page.getByRole('button', { name: 'Choose MCP servers' }).click()
  const box = page.getByRole('group', { name: 'MCP servers' }).getByRole('checkbox', { name: /^Tracker/ })
  const warning = page.getByText(`Tracker is left out: ${reason}`)
  expect(await warning.count()).toBe(0)
  await box.check()
  await warning.waitFor()
  await screenshot(page, 'new-session-left-out')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await box.uncheck()
  await warning.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a list is chosen from when the roots are known, because those of the root would be left out; another root closes it', async () => {
  const { page, faults, goto } = await openPage({ server })
  const release = await keepBack(page, '**/v1/configs')
  const areOffered = page.waitForResponse('**/v1/mcp_servers')
  await goto('/sessions/new')
  await areOffered
  const choose = page.getByRole('button', { name: 'Choose MCP servers' })
  await expect.poll(() => choose.isDisabled()).toBe(true)
  release()
  await choose.click()
  const box = page.getByRole('group', { name: 'MCP servers' }).getByRole('checkbox', { name: /^Tracker/ })
  const root = page.getByLabel('Root', { exact: true })
  await expect.poll(() => root.locator('option').count()).toBeGreaterThan(1)
  await box.check()
  await root.selectOption('')
  await box.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

const lists = [
  { label: 'MCP servers', title: 'Clock', key: 'mcp_servers', name: 'yard-clock' },
  { label: 'Skills', title: 'Look around', key: 'catalog_skills', name: 'look-around' },
  { label: 'Hooks', title: 'Remind to commit', key: 'catalog_hooks', name: 'remind' },
  { label: 'Plugins', title: 'First steps', key: 'catalog_plugins', name: 'first-steps' },
] as const

test('the four lists are chosen in the form, and the page of the session shows what was chosen', async () => {
  const { page, faults, goto } = await openPage({ server })
  await goto('/sessions/new')
  await page.getByLabel(promptLabel).fill('say hello')
  await page.getByLabel('Runtime').selectOption('demo')
  for (const { label, title, key } of lists) {
    await page.getByRole('button', { name: `Choose ${label}` }).click()
    // The root gives the plugin, so that taking it out is the change.
    await page
      .getByRole('group', { name: label })
      .getByRole('checkbox', { name: title, exact: true })
      .setChecked(key !== 'catalog_plugins')
  }
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  expect(await madeOn(page)).toMatchObject({
    mcp_servers: ['yard-clock'],
    catalog_skills: ['look-around'],
    catalog_hooks: ['remind'],
    catalog_plugins: [],
  })
  await page.getByRole('tab', { name: 'Info' }).click()
  const given = page.getByRole('region', { name: 'What it is given' })
  for (const name of ['yard-clock', 'look-around', 'remind']) await given.getByText(name, { exact: true }).waitFor()
  expect(await given.getByText('first-steps').count()).toBe(0)
  expect(faults).toEqual([])
})

test('a list that was changed goes back to what the root gives', async () => {
  const { page, faults, goto } = await openPage({ server })
  await goto('/sessions/new')
  await page.getByLabel(promptLabel).fill('say hello')
  await page.getByLabel('Runtime').selectOption('demo')
  const plugins = page.getByRole('group', { name: 'Plugins' })
  await plugins.getByText('first-steps').waitFor()
  await page.getByRole('button', { name: 'Choose Plugins' }).click()
  await plugins.getByRole('checkbox', { name: 'First steps', exact: true }).uncheck()
  await plugins.getByRole('button', { name: "Use the root's" }).click()
  await plugins.getByText('first-steps').waitFor()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  expect(await madeOn(page)).toMatchObject({ catalog_plugins: ['first-steps'] })
  expect(faults).toEqual([])
})

test('a draft is thrown away by Start over, and the keys start a session', async () => {
  const { page, faults, goto } = await openPage({ server })
  await goto('/sessions/new')
  const prompt = page.getByLabel(promptLabel)
  await prompt.fill('say Thrown away')
  await page.getByLabel('Branch').fill('thrown-away')
  await page.getByRole('button', { name: 'Start over' }).click()
  await expect.poll(() => prompt.inputValue()).toBe('')
  expect(await page.getByLabel('Branch').inputValue()).toBe('')
  await page.reload()
  await page.getByRole('button', { name: 'Start the demo' }).waitFor()
  expect(await prompt.inputValue()).toBe('')
  await page.getByLabel('Runtime').selectOption('demo')
  await prompt.fill('say Started by keys')
  await prompt.press('Control+Enter')
  expect(await madeOn(page)).toMatchObject({ prompt: 'say Started by keys', branch: 'main' })
  expect(faults).toEqual([])
})
