import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { leaveToTest } from '../../support/jobs/leave-to-test.ts'
import { forgeAccount } from '../../support/remote/forge-server.ts'
import { platformApp } from '../../support/remote/platform-app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = await platformApp({ role: 'all' })
const { create, reaches, settled } = sessionHelpers(app)
beforeAll(() => leaveToTest(app.pool, 'poll_forge'))
let repos = 0
const repo = (): string => {
  repos += 1
  return `acme/loop-${repos}`
}
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

/** A condition that was armed some minutes ago, so that issues of the last minutes fire it. */
async function watching(name: string): Promise<number> {
  const trigger = await app.watch('forge_issue', { repos: [name] })
  await app.pool.query("update trigger_conditions set armed_at = now() - interval '10 minutes' where trigger_id = $1", [
    trigger,
  ])
  return trigger
}

/** A running session whose agent has printed these lines. No prompt names an address: the shell joins its parts. */
async function atWork(...printed: string[]): Promise<number> {
  const lines = printed.map((line) => `run echo "${line.replaceAll('/issues/', '/iss""ues/')}"`)
  const id = await create([...lines, 'run echo printed', 'run sleep 120'].join('\n'))
  await reaches(id, 'running')
  await eventually(
    async () => (await app.pool.query('select line from transcript_entries where session_id = $1', [id])).rows,
    (rows) => rows.some(({ line }) => /"printed|printed\\n/.test(line)),
  )
  return id
}

afterEach(async () => {
  const { rows } = await app.pool.query("select id from sessions where status in ('running', 'waiting')")
  for (const { id } of rows) await app.post(`/sessions/${id}/archive`, { force: true })
  for (const { id } of rows) await settled(id)
  await app.pool.query('delete from triggers')
})

describe('an issue that an agent opened', () => {
  test('an issue that an agent opened does not fire a trigger, by the webhook or by the poller', async () => {
    const name = repo()
    const trigger = await watching(name)
    await atWork(`created ${app.forge.url}/${name}/issues/1`)
    const issue = app.forge.open(name, { at: ago(0) })
    await app.sendForge(app.forge.eventOf(issue, 'opened'), { event: 'issues' })
    await app.pollForge()
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toEqual([])
  })

  test("is waited for while an agent is at work: a young issue fires no trigger yet, and fires when it is not the agent's", async () => {
    const name = repo()
    const trigger = await watching(name)
    await atWork('nothing')
    const issue = app.forge.open(name, { at: ago(0) })
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toEqual([])
    issue.createdAt = ago(30)
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })

  test('an issue that an agent opened with the account of our own token is waited for until the turn ends', async () => {
    const name = repo()
    const trigger = await watching(name)
    const session = await atWork('nothing')
    app.forge.open(name, { author: forgeAccount, at: ago(40) })
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toEqual([])
    await app.post(`/sessions/${session}/archive`, { force: true })
    await settled(session)
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })
})

describe('an issue that a person opened', () => {
  test('an issue that a person opened fires although an agent has read it in a list', async () => {
    const name = repo()
    const trigger = await watching(name)
    const [one, two] = [app.forge.open(name, { at: ago(60) }), app.forge.open(name, { at: ago(50) })]
    await atWork(`${app.forge.urlOf(one)} ${app.forge.urlOf(two)}`)
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(2)
  })

  test('an issue that a person opened fires although a session was prompted with its address', async () => {
    const name = repo()
    const trigger = await watching(name)
    const issue = app.forge.open(name, { at: ago(60) })
    const id = await create(`say I look at ${app.forge.urlOf(issue)}\nrun sleep 120`)
    await reaches(id, 'running')
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })
})
