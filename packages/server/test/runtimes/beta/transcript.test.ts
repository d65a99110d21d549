import { describe, expect, test } from 'vitest'
import { isWorthKeeping, showsReceipt } from '../../../src/runtimes/beta/transcript.ts'
import { lines, message } from './rollout-lines.ts'

describe('which lines are kept', () => {
  test('what was said and done is, with the turns', () => {
    const { started, prompt, thought, call, result, customCall, answer, aborted, completed } = lines
    for (const line of [started, prompt, thought, call, result, customCall, answer, aborted, completed]) {
      expect(isWorthKeeping(line), line).toBe(true)
    }
  })

  test('codex’s own bookkeeping is not', () => {
    const { head, context, usage, tools, developer, environment, worldState, settings, item, count } = lines
    const bookkeeping = [head, context, usage, tools, developer, environment, worldState, settings, item, count]
    for (const line of [...bookkeeping, 'no JSON', '{}']) {
      expect(isWorthKeeping(line), line).toBe(false)
    }
  })

  test('a kind of line that nobody knows yet is', () => {
    expect(isWorthKeeping('{"type":"brand_new","payload":{"some":"thing"}}')).toBe(true)
  })
})

describe('whether the prompt was received', () => {
  test('a user’s message shows it, whatever it looks like', () => {
    expect(showsReceipt(lines.prompt)).toBe(true)
  })

  test('a message by a version that does not say whose it is shows it unless it looks like codex’s own', () => {
    expect(showsReceipt(message('user', 'Do it'))).toBe(true)
    expect(showsReceipt(message('user', '<environment_context>...'))).toBe(false)
  })

  test('nothing that codex writes by itself shows it', () => {
    const { prompt: _, ...others } = lines
    for (const line of Object.values(others)) expect(showsReceipt(line), line).toBe(false)
  })
})
