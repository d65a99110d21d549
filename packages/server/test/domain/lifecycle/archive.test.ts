import { afterEach, describe, expect, test, vi } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { unarchiveSession } from '../../../src/domain/lifecycle/unarchive.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { findDemo } from '../../support/sessions/demo-session.ts'
import { makeNextAgentIgnorePrompt } from '../../support/sessions/ignored-prompt.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp()
const { create, busy, rested, say, queue, messages, logs, reaches, settled, effects } = sessionHelpers(app)
const { doing, done } = effects
afterEach(() => vi.restoreAllMocks())

const archive = (id: number, force = false) => archiveSession(app.host.app, { id }, { force })

describe('an archive', () => {
  test('an archive keeps a resting session for four days', async () => {
    const id = await rested()
    const session = await archive(id)
    expect(session).toMatchObject({ status: 'archived', running_job_id: null })
    const keptMs = Date.parse(session.trash_after ?? '') - Date.parse(session.archived_at ?? '')
    expect(Math.round(keptMs / 86_400_000)).toBe(4)
    await expect(archive(id)).rejects.toMatchObject({
      kind: 'cannot_archive',
      messages: ['Session cannot be trashed from current status: archived'],
    })
  })

  test('an archive names the first fifty messages that it discards, and waits for no redaction thread with its locks', async () => {
    const id = await insertSession(app.pool, { status: 'failed' })
    await app.pool.query(
      `insert into enqueued_messages (session_id, content, position)
       select $1, n || repeat(' word', 10000), n from generate_series(1, 60) n`,
      [id],
    )
    const stuck = { ...app.host.app.redactor, text: () => new Promise<never>(() => undefined) }
    await archiveSession({ ...app.host.app, redactor: stuck }, { id }, { force: true })
    const lines = (await logs(id)).join('\n').split('\n')
    expect(lines.slice(0, 2)).toEqual([
      'Archived. 60 queued messages were not delivered:',
      expect.stringMatching(/^- 1 word/),
    ])
    expect(lines.slice(-2)).toEqual([expect.stringMatching(/^- 50 word/), 'and 10 more'])
  })

  test('an archive stops a running agent', async () => {
    const { id } = await busy()
    const { metadata } = await reaches(id, 'running')
    await archive(id)
    await settled(id)
    expect(await processTable().identify(metadata.process_pid)).toBeUndefined()
    expect(await findDemo(app, id)).toMatchObject({ status: 'archived', running_job_id: null })
  })

  test('an archive is refused while messages are queued, and the refusal lists them', async () => {
    const { id } = await busy()
    await queue(id, 'say one')
    await queue(id, 'x'.repeat(400))
    await expect(archive(id)).rejects.toMatchObject({
      kind: 'messages_queued',
      messages: [
        [
          'Archiving would discard 2 queued messages:',
          '1. say one',
          `2. ${'x'.repeat(160)}`,
          'Let the session work through them, or delete them, or send "force": true to discard them.',
        ].join('\n'),
      ],
    })
    expect((await findDemo(app, id)).status).toBe('running')
    await archive(id, true)
  })

  test('an archive with force retires queued messages, which an unarchive does not bring back', async () => {
    const { id } = await busy()
    await queue(id, doing('retired'))
    await archive(id, true)
    expect(await messages(id)).toMatchObject([{ status: 'undelivered' }])
    expect((await logs(id)).some((line) => line.includes('not delivered') && line.includes('retired'))).toBe(true)
    await settled(id)
    await unarchiveSession(app.host.app, { id })
    await say(id, 'say back')
    await settled(id)
    expect(await done()).not.toContain('retired')
  })

  test('an archive with force logs no part of a secret in a queued message, not even where the text is truncated', async () => {
    const { id } = await busy()
    const secret = `ghp_${'a1B2c3D4e5'.repeat(3)}F6g7H8`
    await queue(id, `say ${'x'.repeat(100)} ${secret}`)
    await archive(id, true)
    expect((await logs(id)).join('\n')).toContain('not delivered')
    expect((await logs(id)).join('\n')).not.toContain('ghp_')
    await settled(id)
  })

  test('an archive keeps a prompt that no agent received as an undelivered message, at any stage of its turn', async () => {
    // The first may have started before the last is archived.
    for (let agents = 0; agents < 8; agents += 1) makeNextAgentIgnorePrompt()
    const ids = await Promise.all(Array.from({ length: 8 }, () => create('sleep 60')))
    await Promise.all(ids.map((id) => archive(id)))
    for (const id of ids) {
      await settled(id)
      expect(await messages(id)).toMatchObject([{ status: 'undelivered', content: 'sleep 60' }])
      expect(await findDemo(app, id)).toMatchObject({ status: 'archived', running_job_id: null })
    }
  })

  test('an archive does not retire a message that is queued after the session was unarchived', async () => {
    makeNextAgentIgnorePrompt()
    const id = await create('say undone')
    await reaches(id, 'running')
    await archive(id)
    await app.pool.query("update sessions set status = 'needs_input', archived_at = null where id = $1", [id])
    await app.pool.query("insert into enqueued_messages (session_id, content, position) values ($1, 'say new', 1)", [
      id,
    ])
    await settled(id)
    expect((await messages(id)).map(({ content, status }) => [content, status]).toSorted()).toEqual([
      ['say new', 'pending'],
      ['say undone', 'undelivered'],
    ])
  })
})

test('of a concurrent archive and follow-up exactly one is refused', async () => {
  for (let round = 0; round < 2; round += 1) {
    const { id } = await busy()
    const asks = [() => say(id, 'say something'), () => archive(id)]
    if (round % 2) asks.reverse()
    const [first, second] = await Promise.allSettled(asks.map((ask) => ask()))
    const [followedUp, archived] = round % 2 ? [second, first] : [first, second]
    const sentMessage = async () => (await messages(id)).find(({ content }) => content === 'say something')
    if (followedUp?.status === 'fulfilled') {
      expect(archived).toMatchObject({ status: 'rejected', reason: { kind: 'messages_queued' } })
      expect(await sentMessage()).toMatchObject({ status: 'pending' })
      await archive(id, true)
      expect(await sentMessage()).toMatchObject({ status: 'undelivered' })
    } else {
      expect(followedUp).toMatchObject({ reason: { kind: 'cannot_follow_up' } })
      expect([archived?.status, await sentMessage()]).toEqual(['fulfilled', undefined])
    }
  }
})
