import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('a call’s own numbers count, with the cached tokens apart, and never the sums beside them', () => {
  const { usageOf } = usageReader()
  expect(Object.values(lines).flatMap((line) => usageOf(line) ?? [])).toEqual([expect.objectContaining(used)])
})

test('a subagent’s call is known by its thread', () => {
  const { usageOf } = usageReader()
  expect(usageOf(lines.usage.replace(thread, '01a1dda6-1bc0-7e93-9525-b6d4952c232d'))?.subagent).toBe(true)
})

test('a reader that has not seen the head of the turn looks it up in the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-usage-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'rollout.jsonl')
  await writeFile(path, `${lines.head}\n${lines.context}\n${lines.usage}\n`)
  const { registerFiles, usageOf } = usageReader()
  registerFiles(thread, [{ thread: 'main', path }])
  expect(usageOf(lines.usage)?.model).toBe('gpt-6.1-sol')
})

test('where no head is to be found, the call counts all the same', () => {
  expect(usageReader().usageOf(lines.usage)).toMatchObject({ ...used, model: 'unknown' })
})
