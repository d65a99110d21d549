import { expect, test } from 'vitest'
import { axe, goOn, keepBack, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { makeSession } from '../support/sessions.ts'
import { makeTrigger, readTrigger } from '../support/triggers.ts'

test('queueing and restoring are switched on the page of a trigger that follows up a session, without the form', async () => {
  const { call } = sharedServer()
  const session = await makeSession('Followed up by switches')
  const { id } = await makeTrigger({ name: 'With switches', reuse_session: true, last_session_id: session.id })
  const { page, faults, goto } = await openPage()
  await goto(`/triggers/${id}`)
  const queues = page.getByRole('switch', { name: /^Queue the prompt while it runs/ })
  const restores = page.getByRole('switch', { name: /^Restore it from the archive/ })
  const stored = async () => {
    const { enqueue_messages, resuscitate_archived } = await readTrigger(id)
    return [enqueue_messages, resuscitate_archived]
  }
  await page.getByRole('link', { name: `Session ${session.id}` }).waitFor()
  await queues.click()
  await expect.poll(() => queues.isChecked()).toBe(true)
  await expect.poll(stored).toEqual([true, false])
  await restores.click()
  await expect.poll(() => restores.isChecked()).toBe(true)
  await expect.poll(stored).toEqual([true, true])
  await screenshot(page, 'trigger-switches')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await queues.click()
  await expect.poll(() => queues.isChecked()).toBe(false)
  await restores.click()
  await expect.poll(() => restores.isChecked()).toBe(false)
  await expect.poll(stored).toEqual([false, false])
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByRole('button', { name: 'Enable', exact: true }).waitFor()
  await expect.poll(() => readTrigger(id)).toMatchObject({ status: 'disabled' })

  // Without a session to follow up they would say nothing.
  await call('PATCH', `/triggers/${id}`, { reuse_session: false })
  await queues.waitFor({ state: 'detached' })
  await call('DELETE', `/triggers/${id}`)
  expect(faults).toEqual([])
})

test('the page of a trigger shows what was set for it, what has no effect, and which agent made it', async () => {
  const { call } = sharedServer()
  const { skills } = await call<{ skills: { id: string }[] }>('GET', '/skills')
  const skill = skills[0]?.id ?? ''
  const { id } = await makeTrigger({
    name: 'Much is set',
    goal: 'All tests green',
    scheduling_class: 'spot',
    precedence: 7,
    max_sessions_per_minute: 4,
    skip_if_pending_session: true,
    coalesce_window_seconds: 30,
    catalog_skills: [skill],
  })
  const maker = await makeSession('Makes a trigger')
  const { page, faults, goto } = await openPage({ size: 'phone' })
  // Only the tool of an agent makes one that names its session.
  await page.route(`**/v1/triggers/${id}`, async (route) => {
    const response = await route.fetch()
    const json: { trigger: object } = await response.json()
    const trigger = { ...json.trigger, made_by_session_id: maker.id, skip_if_pending_session_inert: true }
    await route.fulfill({ json: { ...json, trigger } })
  })
  await goto(`/triggers/${id}`)
  const settings = page.locator('section', { has: page.getByRole('heading', { name: 'Settings' }) })
  for (const text of [
    'All tests green',
    'spot',
    '7',
    '4 a minute',
    'fires while a session that it started is at work; not now, because it follows up a live session',
    'of one conversation within 30 s are one event; without effect, because no condition is about chat',
    skill,
  ])
    await settings.getByText(text, { exact: true }).waitFor()
  await settings.getByRole('link', { name: `session ${maker.id}` }).waitFor()
  await screenshot(page, 'trigger-settings-phone')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await call('DELETE', `/triggers/${id}`)

  const plain = await makeTrigger({ name: 'Nothing is set' })
  await goto(`/triggers/${plain.id}`)
  await settings.getByText(/, by its conditions$/).waitFor()
  expect(await settings.getByRole('term').allInnerTexts()).toEqual(['Class'])
  await call('DELETE', `/triggers/${plain.id}`)
  expect(faults).toEqual([])
})

test('a trigger is not shown under the address of another one that is being read, nor is its history', async () => {
  const { call } = sharedServer()
  const [one, other] = [await makeTrigger({ name: 'Is left' }), await makeTrigger({ name: 'Is gone to' })]
  await call('POST', `/triggers/${one.id}/invoke`, {})
  const { page, faults, goto } = await openPage()
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
  await goto(`/triggers/${one.id}?tab=history`)
  const started = page.getByRole('cell', { name: 'started', exact: true })
  await started.waitFor()
  const answer = await keepBack(page, `**/v1/triggers/${other.id}`)
  await goOn(page, `/triggers/${other.id}`)
  await heading('Trigger').waitFor()
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
  answer()
  await heading('Is gone to').waitFor()
  await goOn(page, `/triggers/${one.id}?tab=history`)
  await started.waitFor()
  // Read before, so it is shown at once; its history was not.
  const fires = await keepBack(page, `**/v1/triggers/${other.id}/fires*`)
  await goOn(page, `/triggers/${other.id}?tab=history`)
  await heading('Is gone to').waitFor()
  expect(await started.count()).toBe(0)
  fires()
  await page.getByText('It has not fired yet').waitFor()
  expect(faults).toEqual([])
})

test('the history of a trigger is paged through to its first fire', async () => {
  const { call } = sharedServer()
  const { id } = await makeTrigger({ name: 'Fires very often', max_sessions_per_minute: 1 })
  for (let fire = 1; fire <= 103; fire += 1) {
    const fired = call('POST', `/triggers/${id}/invoke`, {})
    // The first starts a session, the second one that tells of the burst; the rest is held back.
    if (fire > 2) await expect(fired).rejects.toThrow('burst')
    else await fired
  }
  const { page, faults, goto } = await openPage({ theme: 'dark', size: 'phone' })
  await goto(`/triggers/${id}?tab=history`)
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const first = page.getByRole('cell', { name: 'started', exact: true })
  await pages.getByText('1 to 50 of 103').waitFor()
  expect(await page.getByRole('cell', { name: 'held back' }).count()).toBe(50)
  await screenshot(page, 'trigger-history-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await pages.getByRole('button', { name: 'Next' }).click()
  await pages.getByText('51 to 100 of 103').waitFor()
  expect(await first.count()).toBe(0)
  expect(new URL(page.url()).search).toBe('?tab=history&page=2')
  await page.goBack()
  await pages.getByText('1 to 50 of 103').waitFor()
  await page.goForward()
  await pages.getByText('51 to 100 of 103').waitFor()
  await page.reload()
  await pages.getByText('51 to 100 of 103').waitFor()
  await pages.getByRole('button', { name: 'Next' }).click()
  await first.waitFor()
  await pages.getByText('101 to 103 of 103').waitFor()
  await pages.getByRole('button', { name: 'Back' }).click()
  await first.waitFor({ state: 'detached' })
  await call('DELETE', `/triggers/${id}`)
  expect(faults).toEqual([])
})

test('the id of a trigger, the addresses that fire it and the id of a session are copied by a click', async () => {
  const { call, url } = sharedServer()
  const { id } = await makeTrigger({
    name: 'Fired by others',
    trigger_conditions_attributes: [
      { condition_type: 'chat', configuration: { event_type: 'bot_mention' } },
      { condition_type: 'forge_issue', configuration: { repos: ['acme/api'] } },
    ],
  })
  const session = await makeSession('Its id is copied')
  const { page, context, faults, goto } = await openPage({ size: 'phone' })
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goto(`/triggers/${id}`)
  const { origin } = new URL(url)
  for (const [label, value] of [
    ['Id', String(id)],
    ['prompt', 'say {{title}} by {{author}}'],
    ['Fires by a POST to', `${origin}/api/v1/triggers/${id}/invoke`],
    ['Webhook of the chat platform', `${origin}/api/v1/webhooks/chat`],
    ['Webhook of the forge', `${origin}/api/v1/webhooks/forge`],
  ]) {
    await page.getByRole('button', { name: `Copy ${label}`, exact: true }).click()
    await expect.poll(clipboard).toBe(value)
  }
  await screenshot(page, 'trigger-addresses-phone')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  // What it has not done yet can be tried from where it would be listed.
  await page.getByRole('button', { name: 'Run it by hand' }).waitFor()
  await goto(`/triggers/${id}?tab=history`)
  await page.getByRole('tabpanel').getByRole('button', { name: 'Run now' }).click()
  await page.getByRole('dialog').waitFor()
  await goto(`/sessions/${session.id}?tab=info`)
  await page.getByRole('button', { name: 'Copy id', exact: true }).click()
  await expect.poll(clipboard).toBe(String(session.id))
  await call('DELETE', `/triggers/${id}`)
  expect(faults).toEqual([])
})

test('the page of a trigger shows what becomes of the sessions it started', async () => {
  const { call } = sharedServer()
  const { id } = await makeTrigger({ name: 'Starts a long one', prompt_template: 'sleep 600' })
  const { session } = await call<{ session: { id: number } }>('POST', `/triggers/${id}/invoke`)
  const { page, goto, faults } = await openPage()
  await goto(`/triggers/${id}`)
  const started = page.getByRole('main').getByRole('listitem')
  await started.getByText('Running').waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  await expect
    .poll(async () => {
      await call('POST', `/sessions/${session.id}/pause`).catch(() => undefined)
      return (await call<{ session: { status: string } }>('GET', `/sessions/${session.id}`)).session.status
    })
    .toBe('needs_input')
  await started.getByText('Running').waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})
