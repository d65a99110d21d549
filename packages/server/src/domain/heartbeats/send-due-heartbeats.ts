import type { RunResult } from '../../platform/jobs/periodic.ts'
import { runForEach } from '../../platform/jobs/run-for-each.ts'
import type { App } from '../app.ts'
import { selectDueHeartbeats as findDueHeartbeats } from './heartbeat-store.ts'
import { sendHeartbeat } from './send-heartbeat.ts'

/** Sends each in its own transaction. The row lock keeps concurrent runs from sending one twice. */
export async function sendDueHeartbeats(app: App): Promise<RunResult> {
  await runForEach(await findDueHeartbeats(app.db), (id) => sendHeartbeat(app, id))
  return 'done'
}
