import { test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, logs, settled } = sessionHelpers(app)

test('a clone of an unreachable repository is retried and logged, until the session is archived', async () => {
  // Nothing listens on the discard port.
  const id = await create('say hello', { git_root: 'https://127.0.0.1:9/acme/widgets.git' })
  await eventually(
    () => logs(id),
    (lines) => lines.some((line) => line.endsWith('Retrying in 5 s.')),
  )
  await archiveSession(app.host.app, { id }, { force: true })
  await settled(id)
})
