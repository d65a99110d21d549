import { describe, expect, test } from 'vitest'
import { type CodexError, decideTurnEnd, rejected, type TurnOutcome } from '../../../src/runtimes/beta/turn-end.ts'

function ending(what: Partial<TurnOutcome>): TurnOutcome {
  return {
    turn: undefined,
    isInterrupted: false,
    outage: undefined,
    exit: { code: 0, signal: null },
    stderr: '',
    ...what,
  }
}

function failure(error: CodexError): Partial<TurnOutcome> {
  return { turn: { id: 't', status: 'failed', error } }
}

describe('decideTurnEnd', () => {
  test('decideTurnEnd completes a turn that codex reports as completed, even after an interrupt or a bad exit', () => {
    const turn = { id: 't', status: 'completed' }
    expect(decideTurnEnd(ending({ turn, isInterrupted: true, exit: { code: 1, signal: null } }))).toEqual({
      kind: 'completed',
    })
  })

  test('decideTurnEnd keeps a secret in a long failure text whole, so that its redaction recognises it', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    for (const length of [980, 16_370]) {
      const end = decideTurnEnd(ending(failure({ message: `${'word '.repeat(length / 5)}${secret}` })))
      expect(JSON.stringify(end).replaceAll(secret, '')).not.toContain('ghp_')
    }
  })

  test('decideTurnEnd fails a turn that exits with 0 without a report', () => {
    expect(decideTurnEnd(ending({}))).toMatchObject({ kind: 'failed', reason: 'crash' })
  })

  test('decideTurnEnd counts an interrupted turn as interrupted, even if codex had to be killed', () => {
    expect(decideTurnEnd(ending({ isInterrupted: true, exit: { code: null, signal: 'SIGKILL' } }))).toEqual({
      kind: 'interrupted',
    })
    expect(decideTurnEnd(ending({ turn: { id: 't', status: 'interrupted' } }))).toEqual({ kind: 'interrupted' })
  })

  test('decideTurnEnd fails a turn that the driver gave up with the error of the outage', () => {
    const outage = {
      message: 'Reconnecting... 1/5',
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 429 } },
    }
    expect(decideTurnEnd(ending({ turn: { id: 't', status: 'interrupted' }, outage }))).toMatchObject({
      reason: 'rate_limit',
    })
  })

  test("decideTurnEnd describes a crash by the exit and the last of standard error, without codex's own warnings", () => {
    const stderr =
      'WARNING: proceeding, even though we could not create PATH aliases\n\u001b[31mERROR\u001b[0m out of luck\n'
    expect(decideTurnEnd(ending({ exit: { code: null, signal: 'SIGKILL' }, stderr }))).toMatchObject({
      reason: 'crash',
      detail: expect.stringMatching(/^Codex was killed by SIGKILL before it finished the turn\. ERROR out of luck\. /),
    })
  })
})

// As 0.166.0 reports them.
test.each<[string, CodexError, string]>([
  [
    'a wrong key',
    {
      message: 'unexpected status 401 Unauthorized: invalid x-api-key',
      codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 401 } },
    },
    'auth',
  ],
  ['no key', { message: 'Missing environment variable: `OPENAI_API_KEY`.', codexErrorInfo: 'other' }, 'auth'],
  ['an expired login', { message: 'Your session ended', codexErrorInfo: 'unauthorized' }, 'auth'],
  ['a spent limit', { message: 'You have hit your usage limit.', codexErrorInfo: 'usageLimitExceeded' }, 'rate_limit'],
  [
    'too many requests',
    {
      message: 'exceeded retry limit, last status: 429 Too Many Requests',
      codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 429 } },
    },
    'rate_limit',
  ],
  ['an unknown model', { message: "The model 'x' does not exist", codexErrorInfo: 'modelNotFound' }, 'model'],
  ['a full window', { message: 'ran out of room', codexErrorInfo: 'contextWindowExceeded' }, 'too_long'],
  [
    'a vendor’s own words on length',
    {
      message: '{"error":{"message":"prompt is too long: 2 > 1","code":"context_length_exceeded"}}',
      codexErrorInfo: 'other',
    },
    'too_long',
  ],
  [
    'an answer that reaches the limit on output tokens',
    {
      message: 'stream disconnected before completion: Incomplete response returned, reason: max_output_tokens',
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
    },
    'too_long',
  ],
  [
    'a rush',
    { message: 'We’re currently experiencing high demand.', codexErrorInfo: 'internalServerError' },
    'overloaded',
  ],
  ['529', { message: 'Overloaded', codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 529 } } }, 'overloaded'],
  [
    'connection refused',
    {
      message: 'Connection failed: error sending request',
      codexErrorInfo: { httpConnectionFailed: { httpStatusCode: null } },
    },
    'overloaded',
  ],
  ['a stream that breaks', { message: 'stream disconnected before completion', codexErrorInfo: 'other' }, 'overloaded'],
  ['anything else', { message: 'The policy says no', codexErrorInfo: 'cyberPolicy' }, 'agent_error'],
  ['an Object.prototype key', { message: 'Odd', codexErrorInfo: 'constructor' }, 'agent_error'],
])('Codex reports %s: the turn fails with reason and advice', (_, error, reason) => {
  const end = decideTurnEnd(ending(failure(error)))
  expect(end).toMatchObject({ kind: 'failed', reason })
  // The vendor's sentence, then the advice.
  expect(end).toMatchObject({ detail: expect.stringMatching(/[.!?] [A-Z].*\.$/) })
})

test("extracts the message from the vendor's JSON answer", () => {
  const error = { message: '{"error":{"message":"prompt is too long","code":"context_length_exceeded"}}' }
  expect(decideTurnEnd(ending(failure(error)))).toMatchObject({
    detail: expect.stringMatching(/^prompt is too long \(context_length_exceeded\)\. /),
  })
})

test('distinguishes a missing thread from other rejected requests', () => {
  expect(rejected('no rollout found for thread id 01a1')).toMatchObject({ reason: 'no_session' })
  expect(rejected('failed to parse config')).toMatchObject({ reason: 'agent_error' })
})
