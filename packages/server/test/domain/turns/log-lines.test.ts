import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { sampleRepository, testApp } from '../../support/app/app.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { agentGate } from '../../support/sessions/agent-gate.ts'
import { atRest, startDemo } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const recorded = recordedLog()
const app = testApp({ log: recorded.log })
let git_root: string

beforeAll(async () => {
  git_root = await sampleRepository(join(app.shared, 'repository'))
})

/** The lines with these messages about the session, once there is one of each. */
function linesOf(sessionId: number, ...messages: string[]) {
  const find = async () => recorded.records().filter(({ session_id }) => session_id === sessionId)
  return eventually(find, (lines) => messages.every((message) => lines.some(({ msg }) => msg.startsWith(message))))
}

test('the log lines of a turn carry its session and turn: the start of the agent, its failure, and a failure to store', async () => {
  // The first write of this session's entries fails, so that the turn logs it and tries again.
  await app.pool.query(`
    create sequence writes;
    create function fail_once() returns trigger language plpgsql as $$
    begin
      if nextval('writes') = 1 then raise exception 'a planted failure'; end if;
      return new;
    end $$;
    create trigger fail_once before insert on transcript_entries for each statement execute function fail_once();
  `)
  const gate = agentGate(app.shared)
  const { id } = await startDemo(app, { git_root, lines: ['say hello', gate.line, 'fail on purpose'] })
  await linesOf(id, 'could not record the progress of a turn')
  await gate.open()
  expect((await atRest(app, id)).status).toBe('failed')
  const messages = ['agent started', 'could not record the progress of a turn', 'turn failed']
  const lines = await linesOf(id, ...messages)
  const { rows } = await app.pool.query('select id from turns where session_id = $1', [id])
  for (const message of messages) {
    const line = lines.find(({ msg }) => msg.startsWith(message))
    expect(line).toMatchObject({ session_id: id, turn_id: rows[0].id })
  }
  const ofTurns = recorded.records().filter(({ msg }) => messages.some((message) => msg.startsWith(message)))
  expect(ofTurns.filter(({ turn_id }) => turn_id === undefined)).toEqual([])
})
