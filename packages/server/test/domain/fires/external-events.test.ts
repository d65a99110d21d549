import { beforeAll, describe, expect, test } from 'vitest'
import { fireTrigger, hasFired, type TriggerEvent } from '../../../src/domain/fires/fire.ts'
import {
  deleteCursors,
  findConditions,
  readCursors,
  recordPolled,
  writeCursor,
} from '../../../src/domain/triggers/trigger.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { insertRunningSession } from '../../support/sessions/session-rows.ts'
import { triggerApp } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()

const chat = { condition_type: 'chat', configuration: { channel_id: 'C1' } }
const labels = { condition_type: 'forge_label', configuration: { repos: ['acme/api'], labels: ['go'] } }

async function conditionOf(id: number): Promise<number> {
  const { rows } = await app.pool.query('select id::int from trigger_conditions where trigger_id = $1 order by id', [
    id,
  ])
  return rows[0].id
}

const start = new Date('2026-08-29T10:00:00Z').getTime()

/** A chat message so many seconds after the first. */
async function message(id: number, second: number, more: Partial<TriggerEvent> = {}): Promise<TriggerEvent> {
  return {
    key: `chat:C1:${second}`,
    by: 'chat',
    conditionId: await conditionOf(id),
    values: { text: `message ${second}`, author: 'Ada', link: `https://chat.test/${second}`, channel: 'alerts' },
    occurredAt: new Date(start + second * 1000),
    conversation: 'C1',
    human: { chatUserId: 'U1', isDirect: false, roomName: 'alerts', content: { redacted: `message ${second}` } },
    ifNotFired: 'lost',
    ...more,
  }
}
const label = async (id: number, number: number): Promise<TriggerEvent> => ({
  key: `forge_label:acme/api#${number}:go`,
  by: 'forge_label',
  conditionId: await conditionOf(id),
  values: {
    repo: 'acme/api',
    number,
    title: 'Broken',
    text: 'It broke.',
    labels: ['go'],
    link: `https://forge.test/${number}`,
  },
  occurredAt: new Date(start),
  ifNotFired: 'retry',
})
const fire = (id: number, event: TriggerEvent, folded: TriggerEvent[] = []) =>
  fireTrigger(app.host.app, id, event, folded)
const sessionsOf = async (id: number): Promise<{ id: number; prompt: string; genesis: string }[]> =>
  (
    await app.pool.query(
      `select id::int, prompt, genesis from sessions where metadata ->> 'trigger_id' = $1 order by id`,
      [String(id)],
    )
  ).rows

describe('an event from outside', () => {
  test('fires its trigger once, whichever of twenty ways sees it', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [chat] })
    const event = await message(id, 0)
    const results = await Promise.all(Array.from({ length: 20 }, () => fire(id, event)))
    expect(results.filter(({ outcome }) => outcome === 'spawned')).toHaveLength(1)
    expect(results.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(19)
    expect(results.every(hasFired)).toBe(true)
    expect(await sessionsOf(id)).toMatchObject([{ genesis: 'chat' }])
    expect(await app.fires(id)).toMatchObject([{ outcome: 'spawned', times: 1, event_key: 'chat:C1:0' }])
  })

  test('fires once for two conditions of one trigger that match it, and once for each of two triggers', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [chat, chat] })
    const other = await app.trigger({ trigger_conditions_attributes: [chat] })
    const { rows } = await app.pool.query('select id::int from trigger_conditions where trigger_id = $1', [id])
    for (const { id: conditionId } of rows) await fire(id, await message(id, 0, { conditionId }))
    await fire(other, await message(other, 0))
    expect(await sessionsOf(id)).toHaveLength(1)
    expect(await sessionsOf(other)).toHaveLength(1)
  })

  test('does nothing on a trigger that is disabled, deleted or without the condition', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [chat] })
    const event = await message(id, 0)
    expect((await fire(id, { ...event, conditionId: 999_999 })).outcome).toBe('inactive')
    await app.post(`/triggers/${id}/toggle`)
    expect((await fire(id, event)).outcome).toBe('inactive')
    await app.delete(`/triggers/${id}`)
    expect((await fire(id, event)).outcome).toBe('inactive')
  })

  test('has its text fenced in the prompt', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [chat], prompt_template: 'Answer {{text}} {{link}}' })
    await fire(id, await message(id, 0))
    const [session] = await sessionsOf(id)
    expect(session?.prompt).toMatch(
      /^Answer \[untrusted (\w+)\] message 0 \[\/untrusted \1\] https:\/\/chat\.test\/0\n\nText between/,
    )
  })

  test('of a forge is described in the prompt if the template does not say which item it is', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [labels], prompt_template: 'Review it.' })
    await fire(id, await label(id, 7))
    const [session] = await sessionsOf(id)
    for (const part of ['Repository: acme/api', 'Number: 7', 'https://forge.test/7', 'Broken', 'It broke.'])
      expect(session?.prompt).toContain(part)
    const named = await app.trigger({ trigger_conditions_attributes: [labels], prompt_template: 'Review {{link}}.' })
    await fire(named, await label(named, 7))
    expect((await sessionsOf(named))[0]?.prompt).toBe('Review https://forge.test/7.')
  })

  test('of a forge that found a pending session is retried until it fires; a chat message is lost', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [labels, chat], skip_if_pending_session: true })
    expect((await fire(id, await label(id, 1))).outcome).toBe('spawned')
    const event = await label(id, 2)
    for (let n = 0; n < 3; n += 1) expect((await fire(id, event)).outcome).toBe('skipped')
    expect((await app.fires(id))[0]).toMatchObject({ outcome: 'skipped', times: 3 })
    expect((await fire(id, await message(id, 0))).outcome).toBe('skipped')
    await app.pool.query(`update sessions set status = 'needs_input' where metadata ->> 'trigger_id' = $1`, [
      String(id),
    ])
    expect((await fire(id, event)).outcome).toBe('spawned')
    expect((await fire(id, await message(id, 0))).outcome).toBe('duplicate')
  })

  test('that cannot fire is recorded, stays unclaimed and fires later', async () => {
    const id = await app.trigger({ trigger_conditions_attributes: [chat], agent_root_name: 'nowhere' })
    const event = await message(id, 0)
    for (let n = 0; n < 2; n += 1) expect(await fire(id, event)).toMatchObject({ outcome: 'failed' })
    expect(await app.fires(id)).toMatchObject([{ outcome: 'failed', times: 2 }])
    expect(await app.show(id)).toMatchObject({ status: 'enabled' })
    await app.patch(`/triggers/${id}`, { agent_root_name: 'lab' })
    expect((await fire(id, event)).outcome).toBe('spawned')
  })
})

describe('chat messages of one conversation', () => {
  beforeAll(async () => {
    await app.pool.query(`insert into people (key, display_name, chat_user_id) values ('ada', 'Ada L.', 'U1')`)
  })
  const conversation = (more = {}) => app.trigger({ trigger_conditions_attributes: [chat], ...more })
  const notes = async (sessionId: number): Promise<{ content: string }[]> =>
    (await app.get(`/sessions/${sessionId}/enqueued_messages`)).body.enqueued_messages
  const humans = async (sessionId: number): Promise<unknown[]> =>
    (await app.pool.query('select content from human_messages where session_id = $1 order by id', [sessionId])).rows

  test('within the window of the first start one session, and the later ones are queued for it as notes', async () => {
    const id = await conversation()
    const first = await fire(id, await message(id, 0))
    expect(await fire(id, await message(id, 59))).toMatchObject({ outcome: 'coalesced', sessionId: first.sessionId })
    expect(await fire(id, await message(id, 61))).toMatchObject({ outcome: 'spawned' })
    expect(await sessionsOf(id)).toHaveLength(2)
    const [note, ...others] = await notes(Number(first.sessionId))
    expect(others).toEqual([])
    expect(note?.content).toMatch(
      /^Further messages in the same conversation:\n- 10:00 \[untrusted \w+\] Ada: message 59/,
    )
    expect(await humans(Number(first.sessionId))).toEqual([{ content: 'message 0' }, { content: 'message 59' }])
    expect((await app.fires(id)).map(({ outcome }) => outcome)).toEqual(['spawned', 'coalesced', 'spawned'])
  })

  test('that are seen together are listed under the prompt of the first, at most 25 of them', async () => {
    const id = await conversation()
    const others = await Promise.all(Array.from({ length: 30 }, (_, n) => message(id, n + 1)))
    const { outcome, sessionId } = await fire(id, await message(id, 0), others)
    expect(outcome).toBe('spawned')
    const [session] = await sessionsOf(id)
    expect(session?.prompt.match(/^- 10:00/gm)).toHaveLength(25)
    expect(session?.prompt).toContain('- and 5 more')
    expect(await humans(Number(sessionId))).toHaveLength(31)
    expect((await fire(id, await message(id, 7))).outcome).toBe('duplicate')
  })

  test('in another thread, or with the window off, start sessions of their own', async () => {
    const id = await conversation()
    await fire(id, await message(id, 0))
    expect((await fire(id, await message(id, 1, { conversation: 'C1:1.2' }))).outcome).toBe('spawned')
    const off = await conversation({ coalesce_window_seconds: 0 })
    await fire(off, await message(off, 0))
    expect((await fire(off, await message(off, 1))).outcome).toBe('spawned')
  })

  test('start another session if that of the first has ended', async () => {
    const id = await conversation()
    const { sessionId } = await fire(id, await message(id, 0))
    await app.setStatus(Number(sessionId), 'archived')
    expect((await fire(id, await message(id, 1))).outcome).toBe('spawned')
  })

  test('start one session when fifty of them race', async () => {
    const id = await conversation()
    const events = await Promise.all(Array.from({ length: 50 }, (_, n) => message(id, n)))
    const results = await Promise.all(events.map((event) => fire(id, event)))
    expect(results.filter(({ outcome }) => outcome === 'spawned')).toHaveLength(1)
    expect(results.filter(({ outcome }) => outcome === 'coalesced')).toHaveLength(49)
    expect(await sessionsOf(id)).toHaveLength(1)
  })

  test('are added to the prompt that waits for a busy session', async () => {
    const target = await insertRunningSession(app.pool)
    const reuse = { reuse_session: true, last_session_id: target, enqueue_messages: true, coalesce_window_seconds: 0 }
    const id = await conversation({ ...reuse, prompt_template: '{{text|raw}}' })
    expect((await fire(id, await message(id, 0))).outcome).toBe('queued')
    expect((await fire(id, await message(id, 600))).outcome).toBe('coalesced')
    expect(await notes(target)).toMatchObject([{ content: 'message 0\n\nmessage 600' }])
  })
})

describe('pollers', () => {
  test('find the conditions of enabled triggers by type, and keep their cursors with the condition', async () => {
    await app.pool.query('delete from triggers')
    const id = await app.trigger({ trigger_conditions_attributes: [chat, labels] })
    await app.trigger({ trigger_conditions_attributes: [labels], status: 'disabled' })
    const { db } = app.host.app
    const [condition, ...others] = await findConditions(db, ['forge_label'])
    expect(others).toEqual([])
    expect(condition).toMatchObject({ trigger_id: id, configuration: { target: 'pull_request' }, last_polled_at: null })
    const conditionId = Number(condition?.id)
    await transact(db, async (tx) => {
      await recordPolled(tx, [conditionId])
      await writeCursor(tx, conditionId, 'seen', { items: [1] })
      await writeCursor(tx, conditionId, 'seen', { items: [1, 2] })
      await writeCursor(tx, conditionId, 'other', {})
      await deleteCursors(tx, conditionId, ['other'])
    })
    expect(await readCursors(db, conditionId)).toEqual(new Map([['seen', { items: [1, 2] }]]))
    expect((await findConditions(db, ['forge_label']))[0]?.last_polled_at).toBeInstanceOf(Date)
    await app.patch(`/triggers/${id}`, { trigger_conditions_attributes: [{ id: conditionId, _destroy: true }] })
    expect(await readCursors(db, conditionId)).toEqual(new Map())
  })
})
