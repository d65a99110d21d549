import { beforeEach, describe, expect, test } from 'vitest'
import { storeSession } from '../../../src/domain/archive/store-session.ts'
import { updateArchive } from '../../../src/domain/archive/update-archive.ts'
import { testApp } from '../../support/app/app.ts'
import { archiveOf, countWaiting, holdEntries, parsed } from '../../support/archive/archive-app.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const { empty, build, conversation, unpacked } = archiveOf(app)

beforeEach(empty)

const files = async () => {
  const { rows } = await app.pool.query(
    'select id, name, from_generation, superseded_at is null as is_live from archive_files order by id',
  )
  return rows
}

async function subagent(sessionId: number, agent_id: string, transcript: string): Promise<number> {
  const answer = await app.post(`/sessions/${sessionId}/subagent_transcripts`, { agent_id, transcript })
  return answer.body.subagent_transcript.id
}

describe('storing a session', () => {
  test('a run stores a change of a subagent whose transaction began before that of the newest one', async () => {
    const id = await conversation(['{}'])
    const early = await subagent(id, 'early', 'x')
    const client = await app.pool.connect()
    await client.query('begin')
    await client.query('select now()')
    await subagent(id, 'late', 'x')
    await build()
    await client.query(`update subagent_transcripts set description = 'new', updated_at = now() where id = $1`, [early])
    await client.query('commit')
    client.release()
    await build()
    const file = (await unpacked()).get(`sessions/${id}/subagent_transcripts/early.json`)
    expect(parsed(file).description).toBe('new')
  })

  test('a run reads only the files of a session that changed', async () => {
    const id = await conversation(['{}'])
    await subagent(id, 'a', 'same')
    const changed = await subagent(id, 'b', 'old')
    await build()
    const before = await files()
    await app.patch(`/sessions/${id}/subagent_transcripts/${changed}`, { transcript: 'new' })
    await build()
    const live = (await files()).filter(({ is_live }) => is_live)
    expect(live.slice(0, 2).map((file) => file.id)).toEqual(before.slice(0, 2).map((file) => file.id))
    expect(live[2]?.name).toContain('/b.json')
    expect(live[2]?.id).not.toBe(before[2]?.id)
    expect(parsed((await unpacked()).get(String(live[2]?.name))).transcript).toBe('new')
  })

  test('a text that grew in many pieces is stored in few, in their order', async () => {
    const id = await conversation(['{}'])
    const grown = await subagent(id, 'a', 'line 0\n')
    await app.pool.query(
      `insert into subagent_transcript_pieces (subagent_transcript_id, sequence, text)
       select $1, n, 'line ' || n || repeat('é', 30000) || E'\\n' from generate_series(2, 20) as n`,
      [grown],
    )
    await build()
    const { rows } = await app.pool.query('select count(*)::int as count from archive_texts')
    expect(rows[0].count).toBeLessThan(8)
    const { transcript } = parsed((await unpacked()).get(`sessions/${id}/subagent_transcripts/a.json`))
    expect(transcript.match(/line \d+/g)).toEqual(['line 0', ...Array.from({ length: 19 }, (_, n) => `line ${n + 2}`)])
  })

  test('a session without a transcript left is no longer in the archive', async () => {
    const id = await conversation([])
    const only = await subagent(id, 'a', 'x')
    await build()
    expect([...(await unpacked()).keys()]).toHaveLength(3)
    await app.delete(`/sessions/${id}/subagent_transcripts/${only}`)
    await build()
    expect([...(await unpacked()).keys()]).toEqual(['manifest.json'])
    expect(await build()).toBe('done')
  })

  test('a run that is told to stop ends in the middle of a transcript, publishes nothing and counts no failure', async () => {
    const id = await conversation(Array.from({ length: 500 }, (_, n) => `{"n":${n}}`))
    const release = await holdEntries(app.pool)
    const stopping = new AbortController()
    const run = updateArchive(app.host.app, stopping.signal)
    await eventually(
      () => countWaiting(app.pool),
      (count) => count === 1,
    )
    stopping.abort()
    await release()
    expect(await run).toBe('done')
    expect((await app.get('/transcript_archive/status')).status).toBe(404)
    expect(await files()).toMatchObject([{ from_generation: null, is_live: false }])
    await build()
    expect([...(await unpacked()).keys()]).toContain(`sessions/${id}.json`)
  })

  test('a file that a stopped run left behind is deleted after a day', async () => {
    const id = await conversation(['{}'])
    await expect(storeSession(app.host.app, id, AbortSignal.abort())).rejects.toThrow()
    await app.pool.query(
      `insert into archive_files (session_id, name, head, size_bytes, sha256, superseded_at)
       values ($1, 'left', '', 0, '', now() - interval '2 days')`,
      [id],
    )
    await runPeriodic(app.host.app, 'prune_archive_files')
    expect(await files()).toEqual([])
  })
})
