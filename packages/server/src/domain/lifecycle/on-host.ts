import { callHost, type Settle, serveCall } from '../../platform/jobs/host-call.ts'
import type { Job, JobHandler } from '../../platform/jobs/job.ts'
import { refuse } from '../../platform/refusal.ts'
import { type App, handleJob } from '../app.ts'
import { findLiveHosts } from '../hosts/hosts.ts'
import type { SessionRow } from '../sessions/session.ts'

declare module '../app.ts' {
  interface App {
    /** False on a host that only answers requests: it keeps no clones. */
    isWorker: boolean
  }
}

/** An operation on the files of a session, which are on the disk of one host. */
export type HostOperation<Payload, Answer> = {
  job: Job<Payload & { callId: string }>
  /** Runs where the files are. May settle the call in its own transaction; then effect and answer commit together. */
  perform(app: App, payload: Payload, settle: Settle<Answer>): Promise<Answer>
  /** What to do when the host with the files is not running. */
  ifHostIsDown: 'refuse' | 'use_any_host'
}

/** Runs the operation on the host that holds the session's files, and answers when it is done. */
export async function onHostOf<Payload, Answer>(
  app: App,
  session: Pick<SessionRow, 'id' | 'host_id'>,
  operation: HostOperation<Payload, Answer>,
  payload: Payload,
): Promise<Answer> {
  const { job, perform, ifHostIsDown } = operation
  const { id, host_id: holder } = session
  const performHere = (): Promise<Answer> => perform(app, payload, async () => undefined)
  const isHolderUp = holder !== null && (await findLiveHosts(app.db)).includes(holder)
  // Without a holder there are no files; the operation refuses.
  if (holder === app.home.hostId || (holder === null && ifHostIsDown === 'refuse')) return performHere()
  if (!isHolderUp && ifHostIsDown === 'refuse') {
    return refuse(
      'unavailable',
      `The host that holds the files of session ${id} is not running; try again when it is back`,
      { retry_after: 30 },
    )
  }
  if (!isHolderUp && app.isWorker) return performHere()
  const hostId = isHolderUp ? holder : undefined
  const isAlive = async (): Promise<boolean> => {
    const hosts = await findLiveHosts(app.db)
    return hostId === undefined ? hosts.length > 0 : hosts.includes(hostId)
  }
  // The other host runs the same operation, so its answer has the operation's type.
  return (await callHost(app, { job, payload, hostId, isAlive })) as Answer
}

export function handleOnHost<Payload, Answer>({ job, perform }: HostOperation<Payload, Answer>): JobHandler<App> {
  return handleJob(job, ({ callId, ...payload }, app) =>
    // The payload without the call's id is what the operation was called with.
    serveCall<Answer>(app, callId, (settle) => perform(app, payload as Payload, settle)),
  )
}
