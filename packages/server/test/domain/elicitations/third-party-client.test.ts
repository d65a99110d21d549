import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testApp } from '../../support/app/app.ts'
import { asker } from '../../support/sessions/asking.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { textOf } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const program = fileURLToPath(new URL('third-party-client.mjs', import.meta.url))
const app = testApp()
const { respond, sessionOf } = asker(app)
const { create, settled } = sessionHelpers(app)

/** A session whose agent runs the client, and the question of the client. */
async function asking() {
  const client = join(app.shared, 'third-party-client.mjs')
  await copyFile(program, client)
  const id = await create(`run node ${client} "Send the mail?" 2>&1`)
  const question = await eventually(
    async () => (await app.get(`/elicitations?session_id=${id}&status=pending`)).body.elicitations[0],
    (found) => found !== undefined,
  )
  return { id, question }
}

test.each([
  ['accept', { confirm: true }, 'third party: accept {"confirm":true}'],
  ['decline', undefined, 'third party: decline null'],
  ['cancel', undefined, 'third party: cancel null'],
])('a third-party client that polls without a key learns %s', async (action, content, printed) => {
  const { id, question } = await asking()
  expect(question).toMatchObject({ message: 'Send the mail?', tool_name: 'send_mail', mcp_session_id: String(id) })
  expect((await sessionOf(id)).status).toBe('needs_input')
  const { body } = await respond(question.request_id, action, content)
  expect(body._meta).toMatchObject({ 'com.example/request-id': question.request_id })
  await settled(id)
  expect(await textOf(app, id)).toContain(printed)
})

test('a third-party client for which any poll but 2xx is fatal learns of the expiry', async () => {
  const { id, question } = await asking()
  await app.pool.query(`update elicitations set expires_at = now() - interval '1 s' where id = $1`, [question.id])
  app.host.app.questions.forget(id)
  await settled(id)
  expect(await textOf(app, id)).toContain('third party: expired null')
})
