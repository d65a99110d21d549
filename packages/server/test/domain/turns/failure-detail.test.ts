import { expect, test } from 'vitest'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'

const app = testApp()
const { create, reaches, logs } = sessionHelpers(app)

test('the detail of a failed turn is redacted before it is truncated, and its end stays', async () => {
  const id = await create(`fail ${`ghp_${'a1B2'.repeat(9)} `.repeat(300)}and this is the end`)
  const { metadata } = await reaches(id, 'failed')
  expect(metadata.exit_status).toMatch(/^\[REDACTED.* … .*and this is the end/s)
  expect(metadata.exit_status.length).toBeLessThanOrEqual(4000)
  expect(JSON.stringify([metadata, await logs(id)])).not.toMatch(/a1B2/)
})
