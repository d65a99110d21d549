import { describe, expect, test } from 'vitest'
import { isWorthKeeping, showsReceipt } from '../../../src/runtimes/beta/transcript.ts'
import { lines, message } from './rollout-lines.ts'

describe('isWorthKeeping', () => {
  test('isWorthKeeping keeps messages, calls and turns', () => {
    const { started, prompt, thought, call, result, customCall, answer, aborted, completed } = lines
    for (const line of [started, prompt, thought, call, result, customCall, answer, aborted, completed]) {
      expect(isWorthKeeping(line), line).toBe(true)
    }
  })

  test("isWorthKeeping drops codex's bookkeeping", () => {
    const { head, context, usage, tools, developer, environment, worldState, settings, item, count } = lines
    const bookkeeping = [head, context, usage, tools, developer, environment, worldState, settings, item, count]
    for (const line of [...bookkeeping, 'no JSON', '{}']) {
      expect(isWorthKeeping(line), line).toBe(false)
    }
  })

  test('isWorthKeeping keeps an unknown kind of line', () => {
    expect(isWorthKeeping('{"type":"brand_new","payload":{"some":"thing"}}')).toBe(true)
  })
})

describe('showsReceipt', () => {
  test("showsReceipt accepts any user's message", () => {
    expect(showsReceipt(lines.prompt)).toBe(true)
  })

  test('showsReceipt accepts an unmarked message of an older version unless codex wrote it', () => {
    expect(showsReceipt(message('user', 'Do it'))).toBe(true)
    expect(showsReceipt(message('user', '<environment_context>...'))).toBe(false)
  })

  test('showsReceipt rejects every line that codex writes itself', () => {
    const { prompt: _, ...others } = lines
    for (const line of Object.values(others)) expect(showsReceipt(line), line).toBe(false)
  })
})
