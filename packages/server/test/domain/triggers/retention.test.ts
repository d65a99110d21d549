import { expect, test } from 'vitest'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { platformApp } from '../../support/remote/platform-app.ts'

const app = await platformApp()
const run = (name: string) => runPeriodic(app.host.app, name)
const count = async (query: string) =>
  (await app.pool.query(`select count(*)::int as count from ${query}`)).rows[0].count

test('the claim of an event is kept for 90 days, longer than any poller looks back, and then forgotten', async () => {
  app.chat.addChannel('C1', 'alerts')
  const trigger = await app.watch('chat', { channel_id: 'C1' })
  await app.sendChat(app.chat.eventOf('C1', app.chat.post('C1', { user: 'U1', text: 'once' })))
  await app.performJobs()
  for (const [days, left] of [
    [89, 1],
    [91, 0],
  ]) {
    await app.pool.query("update trigger_events set created_at = now() - $1 * interval '1 day'", [days])
    await run('forget_old_fires')
    expect(await count(`trigger_events where trigger_id = ${trigger}`)).toBe(left)
  }
})

test('the cursor of a channel that no poll has followed for 45 days is forgotten, and the others stay', async () => {
  app.chat.addChannel('C2', 'left')
  app.chat.addChannel('C3', 'followed')
  const trigger = await app.watch('chat', { event_type: 'bot_mention' })
  await app.pollChat()
  await app.pool.query("update trigger_cursors set updated_at = now() - interval '46 days' where name = 'C2'")
  await run('forget_old_cursors')
  const names = await app.pool.query(
    `select name from trigger_cursors
     join trigger_conditions on trigger_conditions.id = condition_id
     where trigger_id = $1 order by name`,
    [trigger],
  )
  expect(names.rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['C3']))
  expect(names.rows.map(({ name }) => name)).not.toContain('C2')
})

test('the cursor of an issue condition forgets issues that no search asks for any more', async () => {
  const trigger = await app.watch('forge_issue', { repos: ['acme/done'] })
  await app.pool.query("update trigger_conditions set armed_at = now() - interval '10 days' where trigger_id = $1", [
    trigger,
  ])
  const ago = (hours: number) => new Date(Date.now() - hours * 3600_000)
  for (const hours of [100, 50, 0.5]) app.forge.open('acme/done', { at: ago(hours) })
  await app.pollForge()
  await app.pollForge()
  const { rows } = await app.pool.query("select state -> 'done' as done from trigger_cursors where name = 'issues'")
  expect(Object.keys(rows[0].done)).toEqual(['acme/done#3'])
  expect(await app.promptsOf(trigger)).toHaveLength(3)
})

test('a deleted trigger leaves no condition, cursor, claim or fire', async () => {
  await app.pool.query('delete from triggers')
  for (const table of ['trigger_conditions', 'trigger_cursors', 'trigger_events', 'trigger_fires'])
    expect([table, await count(table)]).toEqual([table, 0])
})
