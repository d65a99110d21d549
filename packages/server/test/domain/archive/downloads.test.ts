import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { limits } from '@yardmaster/contract/limits'
import { beforeEach, describe, expect, test } from 'vitest'
import { fileContent } from '../../../src/domain/archive/file-content.ts'
import { selectFileSource } from '../../../src/domain/archive/file-store.ts'
import { testApp, testKey } from '../../support/app/app.ts'
import { archiveOf, countWaiting, holdEntries, parsed } from '../../support/archive/archive-app.ts'
import { readZip } from '../../support/files/read-zip.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const { empty, build, conversation, download, unpacked } = archiveOf(app)

beforeEach(empty)

/** A session with megabytes, written by the database. */
async function longConversation(lines: number, lineBytes: number): Promise<number> {
  const id = await conversation([])
  await app.pool.query(
    `insert into transcript_entries (session_id, thread, sequence, line)
     select $1, 'main', n, n || repeat('x', $3) from generate_series(1, $2::int) as n`,
    [id, lines, lineBytes],
  )
  await app.pool.query('update transcript_threads set entry_count = $2 where session_id = $1', [id, lines])
  return id
}

/** A download whose answer has begun, and of which nothing more is read. */
async function begin(): Promise<{ asked: ClientRequest; answer: IncomingMessage }> {
  const asked = request(`${app.url}/api/v1/transcript_archive/download`, { headers: { 'x-api-key': testKey } })
  asked.on('error', () => undefined)
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.on('error', () => undefined)
  return { asked, answer }
}

describe('a part of the archive', () => {
  test('a late part reads no file before it', async () => {
    const first = await conversation(['{"n":1}'])
    await conversation(['{"n":2}'])
    await build()
    const whole = await download()
    // Reading the first file fails from now on.
    await app.pool.query('update archive_files set entry_count = 9 where session_id = $1', [first])
    const start = whole.bytes.indexOf('{\\"n\\":2}')
    const late = await download('', { range: `bytes=${start}-` })
    expect(late.status).toBe(206)
    expect(late.bytes.equals(whole.bytes.subarray(start))).toBe(true)
  })

  test('a part within a long file reads at most some megabytes before it', async () => {
    const id = await longConversation(600, 10_000)
    await build()
    const { db } = app.host.app
    const { rows } = await app.pool.query('select id, size_bytes from archive_files where session_id = $1', [id])
    const source = await selectFileSource(db, Number(rows[0].id))
    if (!source) throw new Error('the file is stored')
    let reads = 0
    const part = (from: number) =>
      buffer(
        fileContent(db, source, from, (query) => {
          reads++
          return query()
        }),
      )
    const whole = await part(0)
    expect(whole.length).toBe(Number(rows[0].size_bytes))
    const readsOfWhole = reads
    for (const from of [5_500_000, whole.length - 2]) {
      reads = 0
      expect((await part(from)).equals(whole.subarray(from))).toBe(true)
      expect(reads).toBeLessThan(readsOfWhole / 2)
    }
  })

  test('a download is continued with the archive it began with while sessions change and are added', async () => {
    const id = await conversation(['{"n":1}'], { title: 'Old' })
    await conversation(['{"n":2}'])
    await build()
    const whole = await download()
    const tag = whole.headers.get('etag') ?? ''
    for (const title of ['New', 'Newer']) {
      await app.patch(`/sessions/${id}`, { title })
      await conversation(['{"n":3}'])
      await build()
    }
    const rest = await download('', { range: 'bytes=500-', 'if-range': tag })
    expect([rest.status, rest.headers.get('etag')]).toEqual([206, tag])
    expect(rest.bytes.equals(whole.bytes.subarray(500))).toBe(true)
    expect(parsed((await unpacked()).get(`sessions/${id}.json`)).title).toBe('Newer')
  })

  test('a download is begun again when a file of its archive is gone, or the filter or the tag is another', async () => {
    const id = await conversation(['{}'], { title: 'Old' })
    const other = await conversation(['{}'])
    await build()
    const tag = (await download()).headers.get('etag') ?? ''
    await app.patch(`/sessions/${id}`, { title: 'New' })
    await build()
    const statusOf = async (query: string, ifRange: string) =>
      (await download(query, { range: 'bytes=500-', 'if-range': ifRange })).status
    expect(await statusOf('', tag)).toBe(206)
    expect(await statusOf('?from=2020-01-01', tag)).toBe(200)
    expect(await statusOf('', tag.replace(/.{5}"$/, 'xxxxx"'))).toBe(200)
    await app.pool.query(
      `update archive_files set superseded_at = now() - interval '2 days' where superseded_at < now()`,
    )
    await runPeriodic(app.host.app, 'prune_archive_files')
    expect(await statusOf('', tag)).toBe(200)
    const newer = (await download()).headers.get('etag') ?? ''
    await app.delete(`/sessions/${other}`)
    expect(await statusOf('', newer)).toBe(200)
  })

  test('a download ends early when a session is deleted that it still needs', async () => {
    await longConversation(100, 100_000)
    const needed = await conversation(['{}'])
    await build()
    const { answer } = await begin()
    await app.delete(`/sessions/${needed}`)
    await expect(buffer(answer)).rejects.toThrow('aborted')
  })
})

describe('the files of the archive', () => {
  test('the archive lists more files than fit in one page, with session ids in the order of their text', async () => {
    const ids: number[] = []
    for (let n = 0; n < 11; n++) ids.push(await conversation(['{}']))
    await build()
    const content = '{"transcript":""}\n'
    await app.pool.query(
      `insert into archive_files (session_id, name, head, size_bytes, crc32, sha256, from_generation)
       select $1::bigint, 'sessions/' || $1::bigint || '/subagent_transcripts/' || n || '.json', '{"transcript":"', $2, $3, repeat('a', 64),
         (select generation from archive_progress)
       from generate_series(1, 1100) as n`,
      [ids[3], content.length, crc32(content)],
    )
    const { bytes, headers } = await download()
    expect(bytes.length).toBe(Number(headers.get('content-length')))
    const files = readZip(bytes)
    expect(files.size).toBe(1 + 11 + 1100)
    const manifest = parsed(files.get('manifest.json'))
    expect(manifest.files.map(({ name }: { name: string }) => name)).toEqual([...files.keys()].slice(1))
    expect(manifest.session_ids).toEqual(ids.map(String).toSorted())
    const tail = await download('', { range: 'bytes=-200000' })
    expect(tail.bytes.equals(bytes.subarray(-200_000))).toBe(true)
  })
})

describe('a download under way', () => {
  test('a host sends a few downloads at a time and answers 503 with Retry-After to others', async () => {
    await longConversation(100, 100_000)
    await build()
    const begun = await Promise.all(Array.from({ length: limits.archiveDownloads }, begin))
    expect(begun.map(({ answer }) => answer.statusCode)).toEqual(begun.map(() => 200))
    const refused = await app.get('/transcript_archive/download')
    expect([refused.status, refused.body.error]).toEqual([503, 'Too many downloads'])
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.retry_after))
    expect((await download('', { 'if-none-match': '*' })).status).toBe(304)
    begun[0]?.asked.destroy()
    await eventually(
      async () => {
        const { asked, answer } = await begin()
        asked.destroy()
        return answer.statusCode
      },
      (status) => status === 200,
    )
    for (const { asked } of begun) asked.destroy()
    await eventually(
      async () => app.host.app.archiveDownloads.open,
      (open) => open === 0,
    )
  })

  test('a caller that disconnects in the middle leaves no query behind', async () => {
    await longConversation(100, 100_000)
    await build()
    const { asked } = await begin()
    asked.destroy()
    await eventually(
      async () => app.host.app.archiveDownloads.open,
      (open) => open === 0,
    )
    // Granted when the query that is under way has ended. A further one would wait for it.
    const release = await holdEntries(app.pool)
    for (let n = 0; n < 5; n++) {
      await nextTurn()
      expect(await countWaiting(app.pool)).toBe(0)
    }
    await release()
  })

  test('a download goes on where it was when its connection to the database breaks', async () => {
    await conversation(Array.from({ length: 300 }, (_, n) => `{"n":${n}}`))
    await build()
    const whole = await download()
    const release = await holdEntries(app.pool)
    const again = download()
    await eventually(
      async () => {
        const { rowCount } = await app.pool.query(
          `select pg_terminate_backend(pid)
           from pg_locks
           where relation = 'transcript_entries'::regclass
             and not granted`,
        )
        return rowCount
      },
      (count) => count === 1,
    )
    await release()
    expect((await again).bytes.equals(whole.bytes)).toBe(true)
  })
})
