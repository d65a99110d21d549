import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepare } from './prepare.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { buildWeb, isWebBuilt } from './web-build.mjs'

// Takes the pictures of README.md and docs/dashboard.md again, from a server with the demo agent. Run it when the look of a page changes.
await prepare()
if (!isWebBuilt() && !(await buildWeb())) process.exit(1)

const { chromium } = createRequire(new URL('../packages/web/package.json', import.meta.url))('playwright-core')

const [key, port] = ['key-of-the-pictures', '3987']
const url = `http://127.0.0.1:${port}`
const home = await mkdtemp(join(tmpdir(), 'yardmaster-pictures-'))
// If this runs as root, the users of the database and of agents need it too.
await chmod(home, 0o777)
const program = `(await import(${JSON.stringify(new URL('../packages/server/dist/main.js', import.meta.url).href)})).main()`
const server = spawn(process.execPath, ['--input-type=module', '--eval', program], {
  stdio: 'ignore',
  env: { ...process.env, YARDMASTER_HOME: home, PORT: port, API_KEYS: key },
})
const ended = once(server, 'exit')
while (
  !(await fetch(`${url}/up`).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await sleep(200)

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function call(method, path, body) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

/** What each agent does, by the title of its session. `sleep` keeps it running. */
const work = {
  'Checkout fails for carts above 100 items': [
    'say I can reproduce it: the total overflows when a cart has more than 100 items.',
    'run ls -la',
    'run echo "214 passed, 2 failed"; exit 1',
    'write notes.md The total is summed as a 16-bit number.',
    'say Two tests fail now, and both are about the **discount** rules in `totals.ts`. I can change the rule or the tests.',
    'ask Should a cart above 100 items keep its discount?',
  ],
  'Rotate the signing keys of the webhooks': [
    'say The new key is in place; old deliveries still verify.',
    'ask May I remove the old key today?',
  ],
  'Move image resizing to the queue': ['say Resizing runs in the background.', 'sleep 900'],
  'Find the slow query on the invoices page': [
    'run ls',
    'say The page asks for each line of an invoice by itself.',
    'sleep 900',
  ],
  'Translate the onboarding mails': ['say Four of nine mails are translated.', 'sleep 900'],
  'Update the Node version of the API': ['fail The build image has no Node 22.'],
  'Write the release notes of 4.2': ['say The notes are in `CHANGELOG.md`; three entries need a screenshot.'],
  'Remove the feature flag for new search': ['say Removed in 14 files; all tests pass.'],
  'Measure cold starts of the worker': ['say Cold starts take 1.8 s; two thirds of that is loading modules.'],
}

try {
  const { category } = await call('POST', '/categories', { name: 'Release 4.2' })
  /** @type {Record<string, number>} */
  const ids = {}
  for (const [title, lines] of Object.entries(work)) {
    const prompt = lines.join('\n')
    const { session } = await call('POST', '/sessions', { agent_runtime: 'demo', agent_root: 'sample', title, prompt })
    ids[title] = session.id
    if (/4\.2|flag|Node/.test(title))
      await call('PATCH', `/sessions/${session.id}/set_category`, { category_id: category.id })
  }
  const [asking = ''] = Object.keys(work)
  for (const content of ['Also update the README.', 'Then open the pull request.'])
    await call('POST', `/sessions/${ids[asking]}/enqueued_messages`, { content })
  const isSettled = async () => {
    const { sessions } = await call('GET', '/sessions?per_page=50')
    const { elicitations } = await call('GET', '/elicitations?status=pending')
    const moving = sessions.filter(
      (/** @type {{ status: string }} */ { status }) => status === 'waiting' || status === 'running',
    )
    return elicitations.length === 2 && moving.length === 3
  }
  while (!(await isSettled())) await sleep(500)
  await takePictures(ids[asking] ?? 0)
} finally {
  server.kill('SIGTERM')
  await ended
  await rm(home, { recursive: true, force: true, maxRetries: 10 })
}

/** @param {number} id */
async function takePictures(id) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
  const pictures = [
    { name: 'board', path: '/', theme: 'light' },
    { name: 'inbox', path: '/inbox', theme: 'dark' },
    { name: 'session', path: `/sessions/${id}`, theme: 'light' },
  ]
  for (const { name, path, theme } of pictures) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: theme,
      locale: 'en-GB',
    })
    const page = await context.newPage()
    await page.goto(`${url}/sign-in?next=${encodeURIComponent(path)}`)
    await page.getByLabel('API key').fill(key)
    await page.getByLabel('Your name').fill('Ada')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('live', { exact: true }).waitFor()
    await page.waitForTimeout(1500)
    await page.screenshot({ path: `${repositoryRoot}/docs/images/${name}.png` })
    await context.close()
  }
  await browser.close()
}
