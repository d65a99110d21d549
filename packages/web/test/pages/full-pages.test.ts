import { describe, expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { looks } from '../support/looks.ts'
import { ask, makeSession } from '../support/sessions.ts'
import { makeTrigger } from '../support/triggers.ts'

serverOfFile()

const long = 'Move the retries of uploads that lost their connection into a queue of their own, by host'
const path = 'packages/server/src/domain/uploads/retries-of-uploads-that-lost-their-connection.ts'

type FullPage = readonly [path: string, shown: string]

let prepared: Promise<readonly FullPage[]> | undefined

let oftenId = 0

/** A burst lasts five minutes. A busy machine may need longer to look at all pages. */
async function fireTooOften(): Promise<void> {
  const { call } = sharedServer()
  for (let fire = 0; fire < 4; fire += 1) await call('POST', `/triggers/${oftenId}/invoke`, {}).catch(() => undefined)
}

/** Pages and what is on each of them once it is read. The first test prepares them for all. */
function fullPages(): Promise<readonly FullPage[]> {
  prepared ??= prepare()
  return prepared
}

async function prepare(): Promise<readonly FullPage[]> {
  const { call } = sharedServer()
  const queued = await makeSession(long, 'sleep 3600', 'running')
  for (const prompt of ['say one', `Read ${path}\n\n${`${long}. `.repeat(5)}`, 'x'.repeat(300)])
    await call('POST', `/sessions/${queued.id}/follow_up`, { prompt })
  const { id: asker } = await makeSession('Asks two things')
  await ask(asker, `May ${path} be deleted?`)
  await ask(asker, long, {
    type: 'object',
    required: ['host'],
    properties: {
      host: { type: 'string', title: 'Host', description: 'Where the retries are counted' },
      mode: { type: 'string', title: 'Mode', enum: ['all', 'none'] },
      keep: { type: 'boolean', title: 'Keep the old queue' },
    },
  })
  await makeSession('Failed at the clone', `fail could not write ${path}: the disk is full`)
  await makeSession('Done and unread', `say ${long}`)
  await call('PATCH', '/settings', { spot_gating_enabled: true, spot_max_concurrent_sessions: 1 })
  await call('POST', '/sessions', {
    prompt: `say ${long}`,
    title: 'Held back',
    agent_root: 'sample',
    scheduling_class: 'spot',
  })
  const often = await makeTrigger({ name: `Fires too often: ${long}`, max_sessions_per_minute: 1 })
  oftenId = often.id
  await makeTrigger({ name: 'Failed at night', status: 'failed' })
  await makeTrigger({ name: 'Fires seldom' })
  await call('POST', '/notifications/push', { session_id: asker, message: `${long} ${path}` })
  await call('POST', '/notifications/push', { session_id: queued.id, message: 'The lamp is lit' })
  return [
    ['/inbox', 'Held back'],
    ['/triggers', 'bursting'],
    [`/triggers/${often.id}`, 'A burst'],
    [`/triggers/${often.id}?tab=history`, 'held back'],
    [`/sessions/${queued.id}?tab=queue`, 'say one'],
    ['/notifications', 'The lamp is lit'],
    ['/', 'Needs you'],
  ]
}

describe.each(looks)('on a $size in the $theme theme', (look) => {
  test('pages with questions, failures, holds, problems and a queue have no fault of accessibility or layout', async () => {
    const { page, faults, goto } = await openPage(look)
    const pages = await fullPages()
    await fireTooOften()
    for (const [path, shown] of pages) {
      await goto(path)
      await page.getByText(shown).first().waitFor()
      await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' })
      await screenshot(page, `full-${look.size}-${look.theme}${path.replaceAll(/[/?=]/g, '_')}`)
      expect({ path, faults: await axe(page) }).toEqual({ path, faults: [] })
      expect({ path, faults: await overflows(page) }).toEqual({ path, faults: [] })
    }
    expect(faults).toEqual([])
  })
})

test('the inbox says that a session waits for quota', async () => {
  await fullPages()
  const { page, faults, goto } = await openPage()
  // No account of this server has a quota, so that the reason of another hold is replaced.
  await page.route('**/v1/needs_you*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      body: (await response.text()).replaceAll('fleet_at_cap', 'at_utilization_limit'),
    })
  })
  await goto('/inbox')
  const row = page.getByRole('listitem').filter({ hasText: 'Held back' })
  await row.getByText('Waits for quota').waitFor()
  await row.getByRole('button', { name: 'Start now' }).waitFor()
  expect(faults).toEqual([])
})
