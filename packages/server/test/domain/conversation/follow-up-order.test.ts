import { expect, test } from 'vitest'
import { followUp } from '../../../src/domain/conversation/follow-up.ts'
import { createBatcher } from '../../../src/platform/concurrency/batcher.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { drain, busy, rested, say, queue, turns, messages, settled, reaches, effects } = sessionHelpers(app)
const { doing, done } = effects

test('12 concurrent follow-ups to a running session are each delivered once, in the order of their positions', async () => {
  const { id, release } = await busy()
  const outcomes = await Promise.all(Array.from({ length: 12 }, (_, index) => say(id, doing(`batch-${index}`))))
  expect(outcomes.every(({ delivery }) => delivery === 'queued')).toBe(true)
  const positions = outcomes.map(({ message }) => message?.position ?? 0)
  expect(positions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
  const accepted = outcomes
    .map(({ message }, index) => ({ position: message?.position ?? 0, word: `batch-${index}` }))
    .toSorted((a, b) => a.position - b.position)
  await release()
  await eventually(
    () => messages(id),
    (all) => all.every(({ status }) => status === 'sent'),
  )
  await settled(id)
  expect((await done()).filter((word) => word.startsWith('batch'))).toEqual(accepted.map(({ word }) => word))
})

test('follow-ups that wait for a locked session block no other request and are queued in the order they were sent', async () => {
  const { id } = await busy()
  const other = await rested()
  const lock = await app.pool.connect()
  await lock.query('begin')
  await lock.query('select from sessions where id = $1 for update', [id])
  const followUps = Promise.all(Array.from({ length: 120 }, (_, index) => say(id, `say ${index}`)))
  const queued = Promise.all(Array.from({ length: 120 }, (_, index) => queue(id, `say queued ${index}`)))
  try {
    expect((await app.get(`/sessions/${other}`)).status).toBe(200)
  } finally {
    await lock.query('rollback')
    lock.release()
  }
  const inOrder = (positions: (number | undefined)[]): boolean =>
    positions.every((position, index) => index === 0 || Number(position) > Number(positions[index - 1]))
  const outcomes = await followUps
  expect(outcomes.every(({ delivery, session }) => delivery === 'queued' && session.id === id)).toBe(true)
  expect(inOrder(outcomes.map(({ message }) => message?.position))).toBe(true)
  expect(inOrder((await queued).map(({ position }) => position))).toBe(true)
  const all = await messages(id)
  expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 240 }, (_, index) => index + 1))
  expect(new Set(all.map(({ content }) => content)).size).toBe(240)
  await app.delete(`/sessions/${id}`)
})

test('concurrent follow-ups on two hosts to one session each get their own position', async () => {
  const { id } = await busy()
  const hosts = [app.host.app, { ...app.host.app, batcher: createBatcher() }]
  const send = (host: number, index: number) =>
    followUp(
      hosts[host] ?? app.host.app,
      { id },
      { prompt: `say ${index}`, goal: null, isImmediate: false, isByPerson: true },
    )
  await Promise.all(Array.from({ length: 100 }, (_, index) => send(index % 2, index)))
  const all = await messages(id)
  expect(all.map(({ position }) => position)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
  expect(new Set(all.map(({ content }) => content)).size).toBe(100)
  await app.delete(`/sessions/${id}`)
})

test('of concurrent follow-ups to a resting session the first becomes its next turn and the others follow in order', async () => {
  const id = await rested()
  const words = Array.from({ length: 5 }, (_, index) => `concurrent-${index}`)
  const outcomes = await Promise.all(words.map((word) => say(id, doing(word))))
  expect(outcomes[0]?.delivery).toBe('sent')
  await eventually(done, (all) => words.every((word) => all.includes(word)))
  await settled(id)
  expect((await done()).filter((word) => word.startsWith('concurrent'))).toEqual(words)
})

test('of ten concurrent follow-ups to a resting session one is answered 200 and nine 202', async () => {
  const id = await rested()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => app.post(`/sessions/${id}/follow_up`, { prompt: `say ${index}` })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(202)])
  await app.delete(`/sessions/${id}`)
})

test('an immediate follow-up among concurrent ones goes first, and each is delivered once', async () => {
  const { id } = await busy()
  const words = ['mixed-1', 'mixed-2', 'mixed-0', 'mixed-3', 'mixed-4']
  await Promise.all(words.map((word) => say(id, doing(word), { isImmediate: word === 'mixed-0' })))
  await eventually(done, (all) => words.every((word) => all.includes(word)))
  await settled(id)
  await reaches(id, 'needs_input')
  expect((await done()).filter((word) => word.startsWith('mixed'))).toEqual(words.toSorted())
})

test('messages that are enqueued concurrently for a resting session are delivered in order', async () => {
  const id = await rested()
  const words = Array.from({ length: 4 }, (_, index) => `placed-${index}`)
  await Promise.all(words.map((word) => queue(id, doing(word))))
  await drain(id)
  await eventually(done, (all) => words.every((word) => all.includes(word)))
  expect((await done()).filter((word) => word.startsWith('placed'))).toEqual(words)
})

test('concurrent follow-ups to a failed session are all refused', async () => {
  const id = await rested()
  await app.pool.query("update sessions set status = 'failed' where id = $1", [id])
  const answers = await Promise.allSettled(Array.from({ length: 5 }, (_, index) => say(id, `say ${index}`)))
  for (const answer of answers) expect(answer).toMatchObject({ reason: { kind: 'cannot_follow_up' } })
  expect(await messages(id)).toEqual([])
})

test('follow-ups that arrive while a turn ends are each delivered once, in order', async () => {
  const id = await rested()
  const words: string[] = []
  for (let round = 0; round < 2; round += 1) {
    const sent = Array.from({ length: 3 }, (_, index) => `end-${round}-${index}`)
    for (const word of sent) {
      words.push(word)
      await say(id, doing(word))
      // Wait until a turn row changes, so that each follow-up arrives at a different stage of the turn.
      const before = JSON.stringify(await turns(id))
      await eventually(
        async () => JSON.stringify(await turns(id)),
        (now) => now !== before,
      )
    }
  }
  await eventually(done, (all) => words.every((word) => all.includes(word)))
  await settled(id)
  await reaches(id, 'needs_input')
  expect((await done()).filter((word) => word.startsWith('end-'))).toEqual(words)
})
