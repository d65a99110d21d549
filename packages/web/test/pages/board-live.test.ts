import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rowOf } from '../support/board.ts'
import { axe, keepBack, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'
import { fileOf } from '../support/built-files.ts'
import { makeSession } from '../support/sessions.ts'

serverOfFile()

test('a row shows what its agent says in the middle of a turn, without waiting for a read at an interval', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-line-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  // The agent may be another user.
  await chmod(folder, 0o755)
  const go = join(folder, 'go')
  const prompt = [
    'say The first line',
    `run until [ -e '${go}' ]; do sleep 0.1; done`,
    'say The second line',
    'sleep 600',
  ]
  const { id } = await makeSession('Talks on', prompt.join('\n'), 'running')
  const { page, goto, faults } = await openPage()
  await page.addInitScript(() => {
    const start = window.setInterval
    const patched = (act: () => void, ms = 0) => (ms === 60_000 ? 0 : start(act, ms))
    Object.assign(window, { setInterval: patched })
  })
  await goto('/?q=Talks')
  const row = rowOf(page, 'Talks on')
  await row.getByText('The first line').waitFor()
  await writeFile(go, '')
  await row.getByText('The second line').waitFor()
  await sharedServer().call('DELETE', `/sessions/${id}`)
  expect(faults).toEqual([])
})

test('the ranked view says above the first held session of the queue why it and the others wait', async () => {
  const { call } = sharedServer()
  const { id } = await makeSession('Gate runs', 'sleep 600', 'running')
  await call('PATCH', '/settings', { spot_gating_enabled: true, spot_max_concurrent_sessions: 1 })
  for (const title of ['Gate one', 'Gate two'])
    await call('POST', '/sessions', { prompt: 'say hello', title, agent_root: 'sample', scheduling_class: 'spot' })
  type Ranked = { sections: { key: string; cards: { held?: object }[] }[] }
  const held = async () => {
    const { sections } = await call<Ranked>('GET', '/board?view=ranked&q=Gate')
    return sections.find(({ key }) => key === 'queue')?.cards.filter((card) => card.held).length
  }
  await expect.poll(held).toBe(2)
  for (const size of ['desktop', 'phone'] as const) {
    const { page, goto, faults } = await openPage({ size })
    await goto('/?view=ranked&q=Gate')
    const line = page.getByText('Held here: 1 of 1 turns run')
    await line.waitFor()
    const texts = await page.getByRole('region', { name: 'Sessions' }).getByRole('listitem').allInnerTexts()
    const order = ['Gate runs', 'Held here', 'Gate one', 'Gate two']
    const found = texts.flatMap((text) => order.filter((each) => text.includes(each)))
    expect(found).toEqual(order)
    await screenshot(page, `board-gate-${size}`)
    expect(await axe(page)).toEqual([])
    expect(await overflows(page)).toEqual([])
    expect(faults).toEqual([])
  }
  await call('DELETE', `/sessions/${id}`)
})

test.each(['desktop', 'phone'] as const)(
  'on a %s the rows of the board stay where they are when the strip above them is loaded after them',
  async (size) => {
    await makeSession(`Below the strip on a ${size}`)
    const { page, goto, faults } = await openPage({ size })
    const release = await keepBack(page, `**/${await fileOf('src/features/needs-you/needs-you-strip.tsx')}`)
    const asked = page.waitForResponse(/\/v1\/needs_you$/)
    await goto('/')
    await asked
    await rowOf(page, `Below the strip on a ${size}`).waitFor()
    await page.getByRole('region', { name: 'Sessions' }).getByRole('status', { name: 'Loading' }).waitFor()
    const top = async () => (await page.getByRole('heading', { name: 'Uncategorized' }).boundingBox())?.y
    const before = await top()
    expect(before).toBeGreaterThan(0)
    release()
    await page.getByRole('region', { name: 'Needs you' }).waitFor()
    expect(await top()).toBe(before)
    expect(faults).toEqual([])
  },
)
