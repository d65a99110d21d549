import { expect, test } from 'vitest'
import { axe, openPage, screenshot, sharedServer } from '../support/browser.ts'
import { databaseOf } from '../support/database.ts'
import { fenced, inJson, rewriteEntries } from '../support/entries.ts'
import { makeSession } from '../support/sessions.ts'

test('a session is forked from one of its messages, and the fork knows nothing of what came later', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Forked in the middle', 'say The first answer\nsay The second answer')
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  const first = page.getByRole('article', { name: 'Agent' }).filter({ hasText: 'The first answer' })
  await first.hover()
  await first.getByRole('button', { name: 'Fork from here' }).click()
  await page.waitForURL((url) => url.pathname !== `/sessions/${id}`)
  await first.waitFor()
  const { entries } = await call<{ entries: { parts: { text: string }[] }[] }>(
    'GET',
    `${new URL(page.url()).pathname}/entries`,
  )
  const said = entries.flatMap(({ parts }) => parts.map(({ text }) => text))
  expect(said.at(-1)).toBe('The first answer')
  // The address changes before the page does.
  await expect.poll(() => page.getByRole('article', { name: 'Agent' }).count()).toBe(1)
  expect(faults).toEqual([])
})

test('the text of a message is copied as it was written', async () => {
  const { id } = await makeSession('Copied', 'say The **lease** is `renewed` twice')
  const { page, context, goto } = await openPage()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goto(`/sessions/${id}`)
  const message = page.getByRole('article', { name: 'Agent' })
  await message.hover()
  await message.getByRole('button', { name: 'Copy the text' }).click()
  await page.getByRole('status').getByText('Copied', { exact: true }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('The **lease** is `renewed` twice')
})

test('texts, links and values are copied also where the page is given no clipboard, as over http from another host', async () => {
  const { url } = sharedServer()
  const { id } = await makeSession('Copied over http', 'say The lease\nthink Which lease?\nsay Done')
  const { page, goto, faults } = await openPage()
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
  await goto(`/sessions/${id}?tab=info`)
  const pasted = async () => {
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('')
    await field.press('Control+v')
    return field.inputValue()
  }
  const message = page.getByRole('article', { name: 'Agent' }).filter({ hasText: 'The lease' })
  await message.hover()
  await message.getByRole('button', { name: 'Copy the text' }).click()
  await page.getByRole('status').getByText('Copied', { exact: true }).waitFor()
  expect(await pasted()).toBe('The lease')
  await message.hover()
  await message.getByRole('button', { name: 'Copy the link' }).click()
  await expect.poll(pasted).toBe(`${url}/sessions/${id}#${await message.getAttribute('id')}`)
  await page.getByRole('button', { name: 'Copy id' }).click()
  await expect.poll(pasted).toBe(String(id))
  await page.getByRole('button', { name: /Thinking/ }).click()
  await page.getByText('Which lease?').last().hover()
  await page.getByRole('button', { name: 'Copy thought' }).click()
  await expect.poll(pasted).toBe('Which lease?')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Copy the transcript' }).click()
  await page.getByText('Transcript copied').waitFor()
  expect(await pasted()).toContain('Done')
  expect(faults).toEqual([])
})

test('a page says so when the browser lets it copy nothing', async () => {
  const { id } = await makeSession('Not copied', 'say The lease')
  const { page, goto, faults } = await openPage()
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
    document.execCommand = () => false
  })
  await goto(`/sessions/${id}?tab=info`)
  await page.getByRole('button', { name: 'Copy id' }).click()
  await page.getByRole('status').getByText('Select the text and copy it by hand.').waitFor()
  expect(faults).toEqual([])
})

test.each(['light', 'dark'] as const)(
  'code in a message and in a file that was read has its colours in the %s theme',
  async (theme) => {
    const { id } = await makeSession('Shows code', 'say CODE\nrun echo FILE')
    const { page, goto, faults } = await openPage({ theme })
    const code = [
      fenced('ts', 'const lease = "<b>" // why'),
      fenced('klingon', 'qapla'),
      fenced('go', `${'// line\n'.repeat(600)}return "the end"`),
    ]
    await rewriteEntries(page, (body) =>
      body
        .replaceAll('CODE', () => inJson(code.join('\n\n')))
        .replaceAll('echo FILE', 'src/lease.py')
        .replaceAll('"tool_name":"run"', '"tool_name":"Read"')
        .replaceAll('FILE', 'def renew(): return 7'),
    )
    await goto(`/sessions/${id}`)
    const message = page.getByRole('article', { name: 'Agent' })
    await message.locator('pre span.text-accent-text', { hasText: /^const$/ }).waitFor()
    await message.locator('pre span.text-faint', { hasText: '// why' }).waitFor()
    await message.locator('pre span.text-ok', { hasText: '"the end"' }).waitFor()
    await message.locator('pre', { hasText: 'qapla' }).waitFor()
    expect(await message.locator('pre', { hasText: 'qapla' }).locator('span').count()).toBe(0)
    await page.getByRole('button', { name: /^Read/ }).click()
    await page.locator('pre span.text-accent-text', { hasText: /^def$/ }).waitFor()
    await screenshot(page, `session-code-${theme}`)
    expect(await axe(page)).toEqual([])
    expect(faults).toEqual([])
  },
)

test('the link to a message leads to the page of its session, also from beside the board', async () => {
  const { url } = sharedServer()
  const { id } = await makeSession('Linked from the drawer', 'say Look at this')
  const { page, context, goto } = await openPage()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const message = page.getByRole('article', { name: 'Agent' }).filter({ hasText: 'Look at this' })
  for (const address of [`/sessions/${id}`, `/?open=${id}`]) {
    await goto(address)
    await message.hover()
    await message.getByRole('button', { name: 'Copy the link' }).click()
    await page.getByRole('status').getByText('Link copied', { exact: true }).waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link).toBe(`${url}/sessions/${id}#${await message.getAttribute('id')}`)
  }
})

test('the link to a tool call opens the call', async () => {
  const { url } = sharedServer()
  const { id } = await makeSession('Links to a call', 'run echo first\nrun echo second')
  const { page, context, goto } = await openPage()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goto(`/sessions/${id}`)
  await page.getByRole('button', { name: /^Ran 2 commands/ }).click()
  const opener = page.getByRole('button', { name: /^run echo second/ })
  await opener.click()
  const call = page.locator('[id^=e]').filter({ has: opener })
  await call.getByRole('button', { name: 'Copy the link' }).click()
  await page.getByRole('status').getByText('Link copied', { exact: true }).waitFor()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toMatch(new RegExp(`^${url}/sessions/${id}#e\\d+$`))
  const other = await openPage()
  await other.goto(link)
  await other.page.getByRole('button', { name: /^run echo second/, expanded: true }).waitFor()
  await other.page.getByRole('button', { name: /^run echo first/, expanded: false }).waitFor()
})

test('a long message is shown by its beginning, and as a whole on demand', async () => {
  const { id } = await makeSession('Says a lot', `say ${'so many words '.repeat(2_000)}until the end.`)
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  const message = page.getByRole('article', { name: 'Agent' })
  const end = message.getByText('until the end.')
  await message.getByText('so many words').first().waitFor()
  expect(await end.count()).toBe(0)
  await message.getByRole('button', { name: 'Whole message' }).click()
  await end.waitFor()
  await message.getByRole('button', { name: 'Less' }).click()
  await end.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('a subagent appears in place while its turn runs, also if its call was read before it was stored', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Gets a subagent', 'say Ready')
  const { page, goto, faults } = await openPage()
  let isEarly = true
  await page.route(/\/entries\?/, async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    // The page reads the call a moment before its subagent is stored.
    const isFirst = isEarly && text.includes('"tool_call"')
    if (isFirst) isEarly = false
    await route.fulfill({
      response,
      body: isFirst ? text.replaceAll(/"subagent":\{[^}]*\}/g, '"subagent":null') : text,
    })
  })
  await goto(`/sessions/${id}`)
  await page.getByRole('article', { name: 'Agent' }).getByText('Ready').waitFor()
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'spawn run sleep 600' })
  const subagent = page.getByRole('region', { name: 'Subagent run sleep 600' })
  await subagent.getByText('running').waitFor()
  expect(isEarly).toBe(false)
  await subagent.getByRole('button', { name: /^Subagent/ }).click()
  await subagent.getByRole('article', { name: 'Prompt' }).getByText('run sleep 600').waitFor()
  await call('DELETE', `/sessions/${id}`)
  expect(faults).toEqual([])
})

test('the earlier entries of a subagent are read on demand', async () => {
  const { id } = await makeSession('Has a subagent', 'spawn run echo looked around')
  const { page, goto, faults } = await openPage()
  // The server gives pages of one entry, so that three are enough for this.
  await page.route(/\/entries\?/, (route) => {
    const url = new URL(route.request().url())
    if (url.searchParams.get('thread') !== 'main') url.searchParams.set('limit', '1')
    return route.continue({ url: url.href })
  })
  await goto(`/sessions/${id}`)
  const subagent = page.getByRole('region', { name: /^Subagent/ })
  await subagent.getByRole('button', { name: /^Subagent/ }).click()
  const earlier = subagent.getByRole('button', { name: 'Earlier entries' })
  await earlier.waitFor()
  const prompt = subagent.getByRole('article', { name: 'Prompt' }).getByText('run echo looked around')
  expect(await prompt.count()).toBe(0)
  // One page of one entry each, and the button goes with the second.
  await earlier.click()
  await earlier.click()
  await prompt.waitFor()
  await earlier.waitFor({ state: 'detached' })
  await subagent.getByRole('button', { name: /^run echo looked around/ }).waitFor()
  await screenshot(page, 'session-subagent')
  expect(faults).toEqual([])
})

test('a subagent that is older than the newest hundred says how long it worked', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Has many subagents', 'spawn run echo looked around')
  const path = `/sessions/${id}/subagent_transcripts`
  const { subagent_transcripts } = await call<{ subagent_transcripts: { id: number }[] }>('GET', path)
  await call('PATCH', `${path}/${subagent_transcripts[0]?.id}`, { duration_ms: 61_000 })
  for (let newer = 1; newer <= 100; newer++) await call('POST', path, { agent_id: `newer-${newer}` })
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  await page
    .getByRole('region', { name: /^Subagent/ })
    .getByText('1m 1s')
    .waitFor()
  expect(faults).toEqual([])
})

test('messages of the agent that follow each other name it once, and again after a call and in another turn', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Speaks often', 'say One\nsay Two\nrun true\nsay Three')
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'say Four' })
  const { page, goto, faults } = await openPage()
  await goto(`/sessions/${id}`)
  const messages = page.getByRole('article', { name: 'Agent' })
  await messages.filter({ hasText: 'Four' }).waitFor()
  const isNamed = (text: string) => messages.filter({ hasText: text }).getByText('Agent', { exact: true }).count()
  expect(await Promise.all(['One', 'Two', 'Three', 'Four'].map(isNamed))).toEqual([1, 0, 1, 1])
  await screenshot(page, 'transcript-named-once')
  expect(faults).toEqual([])
})

test('a turn beyond the latest hundred says what it was, and the menu of turns reaches it', async () => {
  const { id } = await makeSession('Worked for months', 'say The first of many')
  const database = await databaseOf(sharedServer().home)
  await database.query(
    `insert into turns
     select (jsonb_populate_record(turns, jsonb_build_object('id', gen_random_uuid(), 'sequence', number, 'run_marker', gen_random_uuid()))).*
     from turns, generate_series(2, 105) as number
     where session_id = $1 and sequence = 1`,
    [id],
  )
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('heading', { name: /^Turn 1 · first prompt .* completed$/ }).waitFor()
  await page.getByRole('button', { name: '105 turns' }).click()
  const menu = page.getByRole('menu', { name: 'Go to a turn' })
  await menu.getByRole('menuitem', { name: /^Turn 105 / }).waitFor()
  expect(await menu.getByRole('menuitem', { name: /^Turn 1 / }).count()).toBe(0)
  await menu.getByRole('menuitem', { name: 'Earlier turns' }).click()
  await menu.getByRole('menuitem', { name: /^Turn 5 / }).waitFor()
  await screenshot(page, 'turns-menu')
  await menu.getByRole('menuitem', { name: 'Later turns' }).waitFor()
  await menu.getByRole('menuitem', { name: /^Turn 1 / }).click()
  await menu.waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})
