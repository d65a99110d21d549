import { describe, expect, test } from 'vitest'
import { type AlphaResult, readEvent } from '../../../src/runtimes/alpha/protocol.ts'
import { decideTurnEnd, type TurnOutcome } from '../../../src/runtimes/alpha/turn-end.ts'

const fine = { type: 'result', subtype: 'success', is_error: false, terminal_reason: 'completed', result: 'Done.' }
/** Recorded from 2.1.197, which reports "success" for every API failure. */
const refused = (status: number | null, result: string, reason = 'completed') => ({
  ...{ type: 'result', subtype: 'success', is_error: true },
  ...{ api_error_status: status, terminal_reason: reason, result },
})
const aborted = { type: 'result', subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' }

describe('a turn is completed', () => {
  test('a turn is completed if the result is no error and the process exits with 0', () => {
    expect(judge({ said: fine })).toEqual({ kind: 'completed' })
  })
})

describe('a turn is interrupted', () => {
  test.each([
    ['reports the abort', { said: aborted, exit: { code: 1, signal: null } }],
    ['reports success, then exits 143', { said: fine, exit: { code: 143, signal: null } }],
    ['says nothing', { exit: { code: null, signal: 'SIGKILL' as const } }],
  ])('a turn is interrupted if the driver interrupted it and it %s', (_name, ending) => {
    expect(judge({ ...ending, wasInterrupted: true })).toEqual({ kind: 'interrupted' })
  })
})

describe('a turn failed', () => {
  test.each([
    [refused(401, 'Invalid API key · Fix external API key'), 'auth', 'Set ANTHROPIC_API_KEY'],
    [refused(403, 'Your account may not do this'), 'auth', 'Set ANTHROPIC_API_KEY'],
    [refused(null, 'Not logged in · Please run /login'), 'auth', 'Set ANTHROPIC_API_KEY'],
    [refused(429, 'API Error: Request rejected (429)'), 'rate_limit', 'Wait until'],
    [refused(400, 'Credit balance is too low'), 'rate_limit', 'Wait until'],
    [refused(404, 'There is an issue with the selected model (x)'), 'model', 'Choose another model'],
    [refused(400, 'Prompt is too long', 'prompt_too_long'), 'too_long', 'Shorten'],
    [refused(413, 'Request too large (max 32MB).', 'image_error'), 'too_long', 'Shorten'],
    [
      refused(
        null,
        "API Error: Claude's response exceeded the 32000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.",
      ),
      'too_long',
      'ask for less at once',
    ],
    [refused(529, 'API Error: 529 Overloaded.'), 'overloaded', 'later'],
    [refused(500, 'API Error: Internal server error'), 'overloaded', 'later'],
    [refused(null, 'API Error: Unable to connect to API (ConnectionRefused)'), 'overloaded', 'later'],
    [refused(400, 'Something the driver has never heard of'), 'agent_error', 'Restart the session'],
    [
      { type: 'result', is_error: true, errors: ['No conversation found with session ID: 1'] },
      'no_session',
      'restart the session',
    ],
  ])("a turn failed with %j gives the vendor's words, a reason and advice", (said, reason, advice) => {
    const end = judge({ said, exit: { code: 1, signal: null } })
    expect(end).toMatchObject({ kind: 'failed', reason, detail: expect.stringContaining(advice) })
    const words = 'result' in said ? said.result : said.errors[0]
    expect(end).toMatchObject({ detail: expect.stringContaining(words ?? '') })
  })

  test('a turn failed by a crash if there is no result', () => {
    expect(judge({ exit: { code: null, signal: 'SIGKILL' }, stderr: 'panic\n' })).toEqual({
      kind: 'failed',
      reason: 'crash',
      detail:
        'The agent process was killed by SIGKILL before it finished the turn. panic. Restart the session to continue from where it stopped.',
    })
  })

  test('a turn failed by a crash if the result is good and the exit is not', () => {
    expect(judge({ said: fine, exit: { code: 143, signal: null } })).toMatchObject({ reason: 'crash' })
  })

  test('a turn failed by a crash if something else interrupted it, whatever the exit code', () => {
    expect(judge({ said: { ...aborted, terminal_reason: 'aborted_streaming' } })).toMatchObject({ reason: 'crash' })
  })

  test.each([
    ['Error: Session ID 1 is already in use.', 'no_session'],
    ['--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons', 'agent_error'],
    ["error: unknown option '--append-system-prompt-file'", 'agent_error'],
  ])('a turn failed before it started, by the error on standard error: %s', (stderr, reason) => {
    const end = judge({ exit: { code: 1, signal: null }, stderr })
    expect(end).toMatchObject({ reason, detail: expect.stringContaining(stderr) })
  })

  test('a turn failed for the reason for which the driver ended it early', () => {
    const earlyEnd = { kind: 'failed', reason: 'auth', detail: 'No.' } as const
    expect(judge({ said: aborted, earlyEnd })).toEqual(earlyEnd)
  })
})

function judge({ said, ...ending }: Partial<TurnOutcome> & { said?: unknown }) {
  const result = said === undefined ? undefined : readEvent(JSON.stringify(said))
  return decideTurnEnd({
    ...{ wasInterrupted: false, earlyEnd: undefined, exit: { code: 0, signal: null }, stderr: '' },
    ...ending,
    result: result as AlphaResult | undefined, // the lines above are results
  })
}
