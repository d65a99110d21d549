import { expect, test } from 'vitest'
import { followUp } from '../../../src/domain/conversation/follow-up.ts'
import { servingTogether } from '../../../src/platform/together.ts'
import { testApp } from '../../support/app/app.ts'
import { conversing } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { drain, busy, rested, say, queue, turns, messages, settled, reaches, effects } = conversing(app)
const { doing, done } = effects

test('twenty-five who speak to a running session at once are each heard once, in the order in which they were accepted', async () => {
  const { id, letGo } = await busy()
  const heard = await Promise.all(Array.from({ length: 25 }, (_, index) => say(id, doing(`crowd-${index}`))))
  expect(heard.every(({ delivery }) => delivery === 'queued')).toBe(true)
  const positions = heard.map(({ message }) => message?.position ?? 0)
  expect(positions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
  const accepted = heard
    .map(({ message }, index) => ({ position: message?.position ?? 0, word: `crowd-${index}` }))
    .toSorted((a, b) => a.position - b.position)
  await letGo()
  await eventually(
    () => messages(id),
    (all) => all.every(({ status }) => status === 'sent'),
    120_000,
  )
  await settled(id)
  expect((await done()).filter((word) => word.startsWith('crowd'))).toEqual(accepted.map(({ word }) => word))
}, 180_000)

test('a crowd that waits for one session leaves the house to others, and is heard in the order in which it spoke', async () => {
  const { id } = await busy()
  const other = await rested()
  const lock = await app.pool.connect()
  await lock.query('begin')
  await lock.query('select from sessions where id = $1 for update', [id])
  const crowd = Promise.all(Array.from({ length: 120 }, (_, index) => say(id, `say ${index}`)))
  const queued = Promise.all(Array.from({ length: 120 }, (_, index) => queue(id, `say queued ${index}`)))
  try {
    expect((await app.get(`/sessions/${other}`)).status).toBe(200)
  } finally {
    await lock.query('rollback')
    lock.release()
  }
  const inOrder = (positions: (number | undefined)[]): boolean =>
    positions.every((position, index) => index === 0 || Number(position) > Number(positions[index - 1]))
  const heard = await crowd
  expect(heard.every(({ delivery, session }) => delivery === 'queued' && session.id === id)).toBe(true)
  expect(inOrder(heard.map(({ message }) => message?.position))).toBe(true)
  expect(inOrder((await queued).map(({ position }) => position))).toBe(true)
  const all = await messages(id)
  expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 240 }, (_, index) => index + 1))
  expect(new Set(all.map(({ content }) => content)).size).toBe(240)
  await app.delete(`/sessions/${id}`)
}, 60_000)

test('crowds on two hosts that speak to one session get a place each', async () => {
  const { id } = await busy()
  const hosts = [app.host.app, { ...app.host.app, together: servingTogether() }]
  const speak = (host: number, index: number) =>
    followUp(hosts[host] ?? app.host.app, { id }, { prompt: `say ${index}`, goal: null, isImmediate: false })
  await Promise.all(Array.from({ length: 100 }, (_, index) => speak(index % 2, index)))
  const all = await messages(id)
  expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
  expect(new Set(all.map(({ content }) => content)).size).toBe(100)
  await app.delete(`/sessions/${id}`)
})

test('of those who speak at once to a session at rest the first is its next turn, and the others come behind', async () => {
  const id = await rested()
  const words = Array.from({ length: 5 }, (_, index) => `together-${index}`)
  const heard = await Promise.all(words.map((word) => say(id, doing(word))))
  expect(heard[0]?.delivery).toBe('sent')
  await eventually(done, (all) => words.every((word) => all.includes(word)), 60_000)
  await settled(id)
  expect((await done()).filter((word) => word.startsWith('together'))).toEqual(words)
})

test('one in a crowd that will not wait goes first, and everybody is heard once', async () => {
  const { id } = await busy()
  const words = ['mixed-1', 'mixed-2', 'mixed-0', 'mixed-3', 'mixed-4']
  await Promise.all(words.map((word) => say(id, doing(word), { isImmediate: word === 'mixed-0' })))
  await eventually(done, (all) => words.every((word) => all.includes(word)), 60_000)
  await settled(id)
  await reaches(id, 'needs_input')
  expect((await done()).filter((word) => word.startsWith('mixed'))).toEqual(words.toSorted())
})

test('messages that are queued at once for a session at rest are delivered in order', async () => {
  const id = await rested()
  const words = Array.from({ length: 4 }, (_, index) => `placed-${index}`)
  await Promise.all(words.map((word) => queue(id, doing(word))))
  await drain(id)
  await eventually(done, (all) => words.every((word) => all.includes(word)), 60_000)
  expect((await done()).filter((word) => word.startsWith('placed'))).toEqual(words)
})

test('a crowd that speaks to a session which nobody may speak to is refused to the last', async () => {
  const id = await rested()
  await app.pool.query("update sessions set status = 'failed' where id = $1", [id])
  const answers = await Promise.allSettled(Array.from({ length: 5 }, (_, index) => say(id, `say ${index}`)))
  for (const answer of answers) expect(answer).toMatchObject({ reason: { kind: 'cannot_follow_up' } })
  expect(await messages(id)).toEqual([])
})

test('whoever speaks just as a turn ends is heard once', async () => {
  const id = await rested()
  const words: string[] = []
  for (let round = 0; round < 4; round += 1) {
    const spoken = Array.from({ length: 3 }, (_, index) => `end-${round}-${index}`)
    for (const word of spoken) {
      words.push(word)
      await say(id, doing(word))
      // Until something of the turn has moved, so that each is said at another point of its course.
      const before = JSON.stringify(await turns(id))
      await eventually(
        async () => JSON.stringify(await turns(id)),
        (now) => now !== before,
      )
    }
  }
  await eventually(done, (all) => words.every((word) => all.includes(word)), 60_000)
  await settled(id)
  await reaches(id, 'needs_input')
  expect((await done()).filter((word) => word.startsWith('end-'))).toEqual(words)
}, 90_000)
