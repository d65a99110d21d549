import { expect, test } from 'vitest'
import { selectDueHeartbeats } from '../../../src/domain/heartbeats/heartbeat-store.ts'
import { readMetadata } from '../../../src/domain/sessions/metadata.ts'
import { testApp } from '../../support/app/app.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

test('reading the metadata of a session ignores unknown keys and reads a broken value as absent', () => {
  const metadata = { agent_root_key: 'widgets', process_pid: 'many', paused_by: 'nobody', from_another_version: 1 }
  expect(readMetadata({ metadata })).toEqual({ agent_root_key: 'widgets' })
})

test('a caller reads the metadata of a session with the keys of another version', async () => {
  const metadata = { process_pid: 'many', from_another_version: { deep: [1] } }
  const id = await insertSession(app.pool, { metadata })
  expect((await app.get(`/sessions/${id}`)).body.session.metadata).toEqual(metadata)
})

test('changing the metadata of a session keeps the keys of another version', async () => {
  const id = await insertSession(app.pool, {
    status: 'needs_input',
    title: 'Placeholder',
    metadata: { auto_generated_title: true, from_another_version: 1 },
  })
  const { body } = await app.patch(`/sessions/${id}`, { title: 'Chosen' })
  expect(body.session.metadata).toEqual({ from_another_version: 1 })
})

test('a broken heartbeat time in the metadata of one session does not keep the others from being due', async () => {
  const due = (heartbeat_last_beat_at: unknown) =>
    insertSession(app.pool, { heartbeat_enabled: true, metadata: { heartbeat_last_beat_at } })
  const broken = [await due('yesterday'), await due({ at: 1 })]
  const old = await due('2026-01-01T00:00:00Z')
  await due('9999-99-99T00:00:00Z')
  expect(await selectDueHeartbeats(app.host.app.db)).toEqual([...broken, old])
})
