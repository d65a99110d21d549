import { RequestError } from '@agentclientprotocol/sdk'
import { describe, expect, test } from 'vitest'
import { endOfStop, failureOf } from '../../../src/runtimes/acp/failures.ts'

describe('failureOf', () => {
  const errors = [
    [-32603, 'Internal error', undefined, 'agent_error'],
    [-32000, 'Authentication required', undefined, 'auth'],
    [-32603, 'Internal error: Invalid API key', { errorKind: 'authentication_failed' }, 'auth'],
    [-32603, 'API Error: 401 who are you', undefined, 'auth'],
    [-32603, 'Internal error', { statusCode: 403 }, 'auth'],
    [-32603, 'Internal error', { details: '429 slow down' }, 'rate_limit'],
    [-32603, 'Your credit balance is too low', undefined, 'rate_limit'],
    [-32603, 'Internal error', { details: '400 prompt is too long: 250000 tokens > 200000 maximum' }, 'too_long'],
    [-32603, 'Internal error: Prompt is too long', { errorKind: 'invalid_request' }, 'too_long'],
    [-32603, 'Claude exceeded the 32000 output token maximum', undefined, 'too_long'],
    [-32603, 'The model x-1 does not exist', undefined, 'model'],
    [-32603, 'Internal error', { status: 529 }, 'overloaded'],
    [-32603, 'fetch failed', 'ECONNREFUSED', 'overloaded'],
  ] as const

  test.each(errors)('failureOf reads the error %i %s %j as %s', (code, message, data, reason) => {
    expect(failureOf(new RequestError(code, message, data), { keyNames: [] })).toMatchObject({ kind: 'failed', reason })
  })

  test('names the variables of a rejected key', () => {
    const rejected = new RequestError(-32000, 'Authentication required')
    expect(failureOf(rejected, { keyNames: ['A_KEY', 'B_TOKEN'] })).toMatchObject({
      detail: expect.stringContaining('Set A_KEY or B_TOKEN to a valid key'),
    })
    expect(failureOf(rejected, { keyNames: [] })).toMatchObject({ detail: expect.stringContaining('runtimes file') })
  })

  test("failureOf keeps the agent's words, each once, and truncates long ones", () => {
    const details = 'x'.repeat(100_000)
    const end = failureOf(new RequestError(-32603, 'Oops', { message: 'Oops', details }), { keyNames: [] })
    expect(end).toMatchObject({ detail: expect.stringMatching(/^Oops: x+\. Restart the session/) })
    expect(JSON.stringify(end).length).toBeLessThan(17_000)
  })

  test('failureOf keeps a secret in a long failure text whole, so that its redaction recognises it', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    for (const length of [1980, 16_360]) {
      const details = `${'word '.repeat(length / 5)}${secret}`
      const end = failureOf(new RequestError(-32603, 'Oops', { details }), { keyNames: [] })
      expect(JSON.stringify(end).replaceAll(secret, '')).not.toContain('ghp_')
    }
  })
})

describe('endOfStop', () => {
  const stops = [
    ['end_turn', false, { kind: 'completed' }],
    ['end_turn', true, { kind: 'failed', reason: 'agent_error' }],
    ['cancelled', false, { kind: 'interrupted' }],
    ['max_tokens', false, { kind: 'failed', reason: 'too_long' }],
    ['max_turn_requests', false, { kind: 'failed', reason: 'agent_error' }],
    ['refusal', true, { kind: 'failed', reason: 'agent_error' }],
    ['of_the_future', false, { kind: 'failed', reason: 'agent_error' }],
  ] as const

  test.each(stops)('stop reason %s with no output %s is %j', (stopReason, hasNoOutput, end) => {
    expect(endOfStop(stopReason, { hasNoOutput })).toMatchObject(end)
  })
})
