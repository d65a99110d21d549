import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { choose, drag, rowOf } from '../support/board.ts'
import { axe, openPage, screenshot, serverOfFile, sharedServer, takeFromPalette } from '../support/browser.ts'
import { holdBack } from '../support/held-writes.ts'
import { makeSession } from '../support/sessions.ts'

serverOfFile()

test('a category is dragged above another one', async () => {
  const { call } = sharedServer()
  for (const name of ['Dragged onto', 'Dragged']) await call('POST', '/categories', { name })
  await makeSession('Has no category')
  const { page, goto, faults } = await openPage()
  await goto('/')
  const heading = (name: string) => page.getByRole('heading', { name, exact: true }).locator('..')
  const shown = async () => (await page.getByRole('heading', { level: 2, name: /^Dragged/ }).allTextContents()).join()
  await expect.poll(shown).toBe('Dragged onto,Dragged')
  // It moves the sections down when it comes.
  await page.getByRole('region', { name: 'Needs you' }).waitFor()
  await drag(page, heading('Dragged'), heading('Dragged onto'))
  const stored = async () => {
    const { categories } = await call<{ categories: { name: string; position: number }[] }>('GET', '/categories')
    return categories.map(({ name }) => name).join()
  }
  await expect.poll(stored).toBe('Dragged,Dragged onto')
  await expect.poll(shown).toBe('Dragged,Dragged onto')
  expect(faults).toEqual([])
})

test('every session that failed or rests is continued from the palette, but not one that a person paused', async () => {
  const { call } = sharedServer()
  const [resting, failed, paused] = [
    await makeSession('Rests'),
    await makeSession('Failed', 'fail the disk is full'),
    await makeSession('Paused by a person', 'run sleep 900', 'running'),
  ]
  await call('POST', `/sessions/${paused.id}/pause`)
  const turnsOf = async (id: number) => (await call<{ turns: unknown[] }>('GET', `/sessions/${id}/turns`)).turns.length
  const { page, goto, faults } = await openPage()
  await goto('/')
  await takeFromPalette(page, 'Continue every', 'Continue every session that failed or rests')
  await page.getByRole('status').getByText('Refresh complete').waitFor()
  await expect.poll(() => turnsOf(resting.id)).toBe(2)
  await expect.poll(() => turnsOf(failed.id)).toBe(2)
  expect(await turnsOf(paused.id)).toBe(1)
  expect(faults).toEqual([])
})

test('the transcript of a session is read again from its row, with what the agent wrote after its turn', async () => {
  const { call, home } = sharedServer()
  const { id } = await makeSession('Writes after its turn')
  const { session } = await call<{ session: { session_id: string } }>('GET', `/sessions/${id}`)
  const file = join(home, 'runtimes', `session-${id}`, 'transcripts', `${session.session_id}.jsonl`)
  const content = [{ type: 'text', text: 'One more thing' }]
  const message = { role: 'assistant', model: 'demo', content }
  const written = { uuid: crypto.randomUUID(), timestamp: new Date().toISOString(), type: 'assistant', message }
  await appendFile(file, `${JSON.stringify(written)}\n`)
  const { page, goto, faults } = await openPage()
  await goto('/?q=Writes+after')
  await page.getByRole('button', { name: 'Actions of Writes after its turn' }).click()
  await page.getByRole('menuitem', { name: 'Read the transcript again' }).click()
  await page.getByRole('status').getByText('Read again “Writes after its turn”').waitFor()
  await goto(`/sessions/${id}`)
  await page.getByRole('article', { name: 'Agent' }).getByText('One more thing').waitFor()
  expect(faults).toEqual([])
})

test('a row says for how long the agent that works has written nothing', async () => {
  const { id } = await makeSession('Says nothing', 'run sleep 900', 'running')
  const { page, context, goto, faults } = await openPage()
  await context.clock.install()
  await goto('/?q=Says+nothing')
  const row = page.locator('[data-session]', { hasText: 'Says nothing' })
  await row.getByText('Running').waitFor()
  expect(await row.getByText(/^quiet/).count()).toBe(0)
  await page.clock.fastForward('06:00')
  await row.getByText(/^quiet \d+ m$/).waitFor()
  await screenshot(page, 'board-quiet')
  expect(await axe(page)).toEqual([])
  await sharedServer().call('DELETE', `/sessions/${id}`)
  expect(faults).toEqual([])
})

test('an archive that is taken back before the server has it is sent first, and the session is brought back', async () => {
  const title = 'Back before it went'
  const { id } = await makeSession(title)
  const { page, goto, faults } = await openPage()
  await goto('/?q=Back+before&archived=true&status=needs_input')
  const archive = await holdBack(page, `**/v1/sessions/${id}/archive`)
  const begun: string[] = []
  page.on('request', (request) => begun.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''))
  await choose(page, title, 'Archive')
  await rowOf(page, title).getByRole('button', { name: 'Undo' }).click()
  await archive.passOn()
  await page.getByRole('status').getByText(`Restored “${title}”`).waitFor()
  const { session } = await sharedServer().call<{ session: { status: string } }>('GET', `/sessions/${id}`)
  expect(session.status).toBe('needs_input')
  expect(begun.filter((verb) => verb.endsWith('archive'))).toEqual(['archive', 'unarchive'])
  expect(faults).toEqual([])
})
