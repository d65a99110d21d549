import { expect, test } from 'vitest'
import { restartSession } from '../../../src/domain/lifecycle/restart.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, say, turns, reaches, effects } = sessionHelpers(app)
const { doing, isDone } = effects

test('a follow-up while a turn prepares the clone runs after that turn', async () => {
  const id = await create()
  await restartSession(app.host.app, { id })
  await eventually(
    () => turns(id),
    ([turn]) => turn?.state !== 'queued',
  )
  await say(id, doing('after-clone'))
  await isDone('after-clone')
  await reaches(id, 'needs_input')
})

test('a follow-up while the turn that prepares the clone is queued runs after that turn', async () => {
  const id = await create()
  await restartSession(app.host.app, { id })
  await say(id, doing('behind-clone'))
  await isDone('behind-clone')
  expect((await reaches(id, 'needs_input')).status).toBe('needs_input')
})
