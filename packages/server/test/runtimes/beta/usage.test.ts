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

test("reads the call's own numbers, with cached tokens apart, and ignores the totals", () => {
  const { usageOf } = usageReader()
  expect(Object.values(lines).flatMap((line) => usageOf(line) ?? [])).toEqual([expect.objectContaining(used)])
})

test("recognizes a subagent's call by its thread", () => {
  const { usageOf } = usageReader()
  expect(usageOf(lines.usage.replace(thread, '01a1dda6-1bc0-7e93-9525-b6d4952c232d'))?.subagent).toBe(true)
})

test("looks up the turn's context line in the file if it has not seen it", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-usage-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'rollout.jsonl')
  await writeFile(path, `${lines.head}\n${lines.context}\n${lines.usage}\n`)
  const { registerFiles, usageOf } = usageReader()
  registerFiles(thread, [{ thread: 'main', path }])
  expect(usageOf(lines.usage)?.model).toBe('gpt-6.1-sol')
})

test('counts a call whose context line is missing', () => {
  expect(usageReader().usageOf(lines.usage)).toMatchObject({ ...used, model: 'unknown' })
})
