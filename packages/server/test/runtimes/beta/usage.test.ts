import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { usageReader } from '../../../src/runtimes/beta/usage.ts'
import { lines, thread } from './rollout-lines.ts'

const used = {
  request_id: 'resp_1',
  model: 'gpt-6.1-sol',
  called_at: new Date('2026-11-15T05:15:21.284Z'),
  subagent: false,
  input_tokens: 600,
  output_tokens: 50,
  cache_read_tokens: 300,
  cache_creation_tokens: 100,
}

test("reads the call's own numbers, with cached tokens apart, and ignores the totals", () => {
  const { usageOf } = usageReader()
  expect(Object.values(lines).flatMap((line) => usageOf(line) ?? [])).toEqual([expect.objectContaining(used)])
})

test("recognizes a subagent's call by its thread", () => {
  const { usageOf } = usageReader()
  expect(usageOf(lines.usage.replace(thread, '01a1dda6-1bc0-7e93-9525-b6d4952c232d'))?.subagent).toBe(true)
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-usage-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test("reads the turn's context line from the file if it has not seen it", async () => {
  const folder = await newFolder()
  const path = join(folder, 'rollout.jsonl')
  await writeFile(path, `${lines.head}\n${lines.context}\n${lines.usage}\n`)
  const { readContexts, usageOf } = usageReader()
  await readContexts(folder, [{ path }])
  expect(usageOf(lines.usage)?.model).toBe('gpt-6.1-sol')
})

test('a NUL in the name of a model, which the database does not store, is replaced', async () => {
  const folder = await newFolder()
  const path = join(folder, 'rollout.jsonl')
  await writeFile(path, `${lines.context.replace('gpt-6.1-sol', 'gpt\\u0000')}\n`)
  const { readContexts, usageOf } = usageReader()
  await readContexts(folder, [{ path }])
  expect(usageOf(lines.usage)?.model).toBe('gpt\ufffd')
})

test('a pipe, or a link that leads out of the home, in the place of a file with context lines does not block the server', async () => {
  const folder = await newFolder()
  const outside = await newFolder()
  const [pipe, link] = [join(folder, 'pipe.jsonl'), join(folder, 'link.jsonl')]
  await promisify(execFile)('mkfifo', [pipe])
  await writeFile(join(outside, 'rollout.jsonl'), `${lines.context}\n`)
  await symlink(join(outside, 'rollout.jsonl'), link)
  const { readContexts, usageOf } = usageReader()
  await readContexts(folder, [{ path: pipe }, { path: link }, { path: join(folder, 'absent.jsonl') }])
  expect(usageOf(lines.usage)?.model).toBe('unknown')
})

test('counts a call whose context line is missing', () => {
  expect(usageReader().usageOf(lines.usage)).toMatchObject({ ...used, model: 'unknown' })
})
