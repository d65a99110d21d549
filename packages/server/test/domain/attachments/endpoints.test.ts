import { limits } from '@yardmaster/contract/limits'
import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(() => emptyTables(app.pool, 'attachments'))

const base64 = (content: string | Buffer): string => Buffer.from(content).toString('base64')
const upload = (name: unknown, content: unknown = base64('hello\n')) => app.post('/attachments', { name, content })

describe('POST /attachments', () => {
  test('POST /attachments answers 201 with the reference that a prompt names the file by', async () => {
    const { status, body } = await upload('screenshot.png')
    const { id } = body.attachment
    expect(status).toBe(201)
    expect(id).toMatch(/^[0-9a-f]{24}$/)
    expect(body).toEqual({
      attachment: {
        id,
        name: 'screenshot.png',
        reference: `attachment:${id}/screenshot.png`,
        size_bytes: 6,
        session_id: null,
        created_at: expect.stringMatching(/Z$/),
      },
    })
  })

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\shot.png', 'shot.png'],
    ['.bashrc', 'bashrc'],
    ['-rf', 'rf'],
    ['Bildschirmfoto 2026-11-18 um 10.00.00.png', 'Bildschirmfoto-2026-11-18-um-10.00.00.png'],
    ['größe.txt', 'größe.txt'],
    ['a\nb\u202e\u0007.log', 'a-b-.log'],
    ['$(touch x);`id`.sh', 'touch-x-id-.sh'],
    ['हिन्दी फ़ाइल.txt', 'हिन्दी-फ़ाइल.txt'.normalize('NFC')],
    ['ไฟล์ที่แนบ.png', 'ไฟล์ที่แนบ.png'],
    ['\u0301\ufe0f', 'file'],
    ['...', 'file'],
    ['/', 'file'],
    [`${'x'.repeat(200)}.tar`, `${'x'.repeat(56)}.tar`],
    ['🚂'.repeat(80), 'file'],
  ])('POST /attachments gives the file named %j the name %j', async (name, stored) => {
    const { status, body } = await upload(name)
    expect([status, body.attachment.name]).toEqual([201, stored])
  })

  test.each([
    ['without a name', { content: base64('a') }, "Name can't be blank"],
    ['with a blank name', { name: ' ', content: base64('a') }, "Name can't be blank"],
    [
      'with a name above 255 characters',
      { name: 'x'.repeat(256), content: base64('a') },
      'Name is too long (maximum is 255 characters)',
    ],
    ['without content', { name: 'a' }, "Content can't be blank"],
    ['with empty content', { name: 'a', content: '' }, "Content can't be blank"],
    ['with content that is not text', { name: 'a', content: 7 }, 'Content must be a string'],
    ['with content that is not base64', { name: 'a', content: 'no base64!' }, 'Content must be base64'],
    ['with base64 that ends too early', { name: 'a', content: 'aGVsbG8' }, 'Content must be base64'],
    ['with base64 in lines', { name: 'a', content: 'aGVs\nbG8K' }, 'Content must be base64'],
  ])('POST /attachments answers 422 %s', async (_case, request, message) => {
    expectProblem(await app.post('/attachments', request), 422, 'Validation failed', message)
  })

  test('POST /attachments takes 10 MB and answers 422 to a byte more', async () => {
    const largest = Buffer.alloc(limits.attachment.bytes, 'x')
    expect(await upload('largest.bin', base64(largest))).toMatchObject({
      status: 201,
      body: { attachment: { size_bytes: limits.attachment.bytes } },
    })
    const answer = await upload('larger.bin', base64(Buffer.concat([largest, Buffer.from('x')])))
    expectProblem(answer, 422, 'Validation failed', 'Content is too large (maximum is 10 MB)')
  })

  test('POST /attachments answers 413 to a body above 14 MB', async () => {
    const response = await upload('huge.bin', 'A'.repeat(limits.attachment.bodyBytes))
    expect(response.status).toBe(413)
  })

  test('POST /attachments answers 429 when the files of all sessions have 10 GB', async () => {
    await app.pool.query(
      `insert into attachments (id, name, size_bytes, content) values (repeat('a', 24), 'a', $1, 'a')`,
      [limits.attachment.totalBytes - 100_000],
    )
    const answer = await upload('one-more.bin', base64(Buffer.alloc(100_001)))
    expect(answer).toMatchObject({ status: 429, body: { error: 'Too many attachments' } })
    expect((await upload('fits.bin', base64(Buffer.alloc(100_000)))).status).toBe(201)
  })

  test('POST /attachments counts a small file as 64 kB, so a loop of empty files ends as well', async () => {
    await app.pool.query(
      `insert into attachments (id, name, size_bytes, content)
       select lpad(number::text, 24, '0'), 'a', 1, 'a' from generate_series(1, $1::int) as number`,
      [limits.attachment.totalBytes / limits.attachment.countedBytes - 1],
    )
    expect((await upload('last.txt', base64('a'))).status).toBe(201)
    expect((await upload('one-more.txt', base64('a'))).status).toBe(429)
  })
})

describe('GET /attachments/{id}', () => {
  test('GET /attachments/{id} answers 200 with the bytes as they were sent', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const { body } = await upload('all.bin', base64(bytes))
    const shown = await app.get(`/attachments/${body.attachment.id}`)
    expect(shown.status).toBe(200)
    expect(shown.body).toEqual({ attachment: body.attachment, content: base64(bytes) })
  })

  test.each(['0'.repeat(24), '1', 'x', "' or 1=1", '..%2F..', '%00'])(
    'GET /attachments/{id} answers 404 to %j',
    async (id) => {
      expect((await app.get(`/attachments/${id}`)).status).toBe(404)
    },
  )
})

describe('DELETE /attachments/{id}', () => {
  test('DELETE /attachments/{id} answers 204, and 404 from then on', async () => {
    const { id } = (await upload('a.txt')).body.attachment
    expect((await app.delete(`/attachments/${id}`)).status).toBe(204)
    expect((await app.delete(`/attachments/${id}`)).status).toBe(404)
    expect((await app.get(`/attachments/${id}`)).status).toBe(404)
  })
})
