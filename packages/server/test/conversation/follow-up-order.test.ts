import { expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import { conversing } from '../support/conversation.ts'
import { eventually } from '../support/eventually.ts'

const app = testApp()
const { busy, rested, say, turns, messages, settled, reaches, effects } = conversing(app)
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
