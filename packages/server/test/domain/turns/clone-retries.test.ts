import { test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { testApp } from '../../support/app/app.ts'
import { conversing } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, logs, settled } = conversing(app)

test('a repository that cannot be reached now is tried again, and the log says so; archiving ends the waiting', async () => {
  // Nobody listens on the discard port of this machine.
  const id = await create('say hello', { git_root: 'https://127.0.0.1:9/acme/widgets.git' })
  await eventually(
    () => logs(id),
    (lines) => lines.some((line) => line.endsWith('It is tried again in 5 s.')),
    30_000,
  )
  await archiveSession(app.host.app, { id }, { force: true })
  await settled(id)
})
