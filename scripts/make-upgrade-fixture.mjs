import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { backUp } from '../packages/server/dist/app/backup/backup.js'

/**
 * Makes the fixture of test/app/upgrade.test.ts: a backup of an older release that is at work.
 *
 *   git worktree add --detach OLD COMMIT && cd OLD && npm ci && npm run build
 *   node scripts/make-upgrade-fixture.mjs OLD packages/server/test/fixtures/upgrade/COMMIT.tar.gz
 *
 * The paths in it are below `place`, and its keys were made for it alone.
 */
const place = '/srv/yardmaster-upgrade'
const key = 'key-of-the-upgrade-fixture'

const [checkout, file] = process.argv.slice(2)
if (checkout === undefined || file === undefined) throw new Error('name the older checkout and the file to write')

rmSync(place, { recursive: true, force: true })
const home = join(place, 'home')
const catalog = join(place, 'catalog')
for (const folder of [home, catalog]) mkdirSync(folder, { recursive: true, mode: 0o700 })
writeFileSync(join(home, 'api-key'), key, { mode: 0o600 })
const repository = makeRepository(join(place, 'repository'))
writeFileSync(join(catalog, 'air.json'), JSON.stringify({ name: 'fixture', roots: ['./roots.json'] }))
writeFileSync(
  join(catalog, 'roots.json'),
  JSON.stringify({ lab: { description: 'A laboratory.', url: repository, default_runtime: 'demo' } }),
)

const { url, stop } = await startOld()
try {
  await fill()
  rmSync(file, { force: true })
  const { bytes } = await backUp({ home, databaseUrl: undefined, file: resolve(file) })
  process.stdout.write(`${file}: ${bytes} bytes\n`)
} finally {
  await stop()
  rmSync(place, { recursive: true, force: true })
}

/** A session at rest with a follow-up, one that runs with queued messages, one that asks, a trigger, and what people see. */
async function fill() {
  const { category } = await post('/categories', { name: 'Kept' })
  await post('/people', { key: 'ada', display_name: 'Ada' })
  const rested = await start('Rested', 'write kept.txt kept\nspawn helper say from the subagent\nsay first turn')
  await atRest(rested)
  await post(`/sessions/${rested}/follow_up`, { prompt: 'say second turn' })
  await atRest(rested)
  await request('PATCH', `/sessions/${rested}/set_category`, { category_id: category.id })
  await request('PATCH', `/sessions/${rested}/notes`, { session_notes: 'Notes of the release before' })
  await post('/notifications/push', { session_id: rested, message: 'A message of the release before' })
  const running = await start('Running', 'say started\nsleep 3600')
  await until(running, ({ status }) => status === 'running')
  for (const content of ['say queued first', 'say queued second'])
    await post(`/sessions/${running}/enqueued_messages`, { content })
  const asking = await start('Asking', 'ask Which colour?')
  await until(asking, ({ status }) => status === 'needs_input')
  await post('/triggers', {
    name: 'In 2040',
    agent_root_name: 'lab',
    prompt_template: 'say it is 2040',
    trigger_conditions_attributes: [
      { condition_type: 'schedule', configuration: { scheduled_at: '2040-01-01T00:00:00', timezone: 'UTC' } },
    ],
  })
  await request('PATCH', '/settings', { spot_max_concurrent_sessions: 7 })
}

/**
 * @param {string} title
 * @param {string} prompt
 */
async function start(title, prompt) {
  const { session } = await post('/sessions', { agent_root: 'lab', agent_runtime: 'demo', title, prompt })
  return session.id
}

/** @param {number} id */
function atRest(id) {
  return until(id, ({ status, running_job_id: job }) => status === 'needs_input' && job === null)
}

/**
 * @param {number} id
 * @param {(session: any) => boolean} isRight
 */
async function until(id, isRight) {
  for (;;) {
    const { session } = await request('GET', `/sessions/${id}`)
    if (isRight(session)) return
    if (session.status === 'failed') throw new Error(`session ${id} failed`)
    await wait(100)
  }
}

/**
 * @param {string} path
 * @param {unknown} body
 */
function post(path, body) {
  return request('POST', path, body)
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function request(method, path, body) {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.status === 204 ? undefined : answer.json()
}

/** @returns {Promise<{ url: string, stop(): Promise<void> }>} */
async function startOld() {
  const main = new URL(`file://${resolve(String(checkout))}/packages/server/dist/main.js`).href
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', `import { main } from ${JSON.stringify(main)}; await main()`],
    {
      cwd: place,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        HOME: place,
        YARDMASTER_HOME: home,
        CATALOG_PATH: join(catalog, 'air.json'),
        // What it says about this machine would be in the log of each session.
        AGENT_CONFINEMENT: 'off',
        PORT: '0',
      },
    },
  )
  const ended = new Promise((end) => child.once('close', end))
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    const [, found] = /is up at (\S+)/.exec(output) ?? []
    if (found === undefined) continue
    return {
      url: found,
      stop: async () => {
        child.kill('SIGTERM')
        await ended
      },
    }
  }
  throw new Error(`the older release did not start: ${output}`)
}

/** @param {string} folder */
function makeRepository(folder) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    })
  git('init', '--quiet', '--initial-branch=main', '--template=', folder)
  writeFileSync(join(folder, 'README.md'), 'hello\n')
  git('-C', folder, 'add', '--all')
  git('-C', folder, 'commit', '--quiet', '--message', 'first')
  return folder
}
