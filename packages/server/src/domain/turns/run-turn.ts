import { limits } from '@yardmaster/contract/limits'
import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { UntrustedFile } from '../../platform/files/untrusted-file.ts'
import { inWork } from '../../platform/log/work-context.ts'
import type { ProcessIdentity } from '../../platform/process/process-table.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import { inSpan } from '../../platform/tracing/in-span.ts'
import { traceparent } from '../../platform/tracing/traceparent.ts'
import type { Span, SpanAbout } from '../../platform/tracing/tracing.ts'
import { truncate } from '../../platform/truncate.ts'
import type { Equipment } from '../../runtimes/equipment.ts'
import type { Conversation, RunningTurn, Runtime, TurnOrder } from '../../runtimes/runtime.ts'
import { type App, handleJob } from '../app.ts'
import { parkForServer, parkingSentence, prepareConnectors } from '../connectors/connector.ts'
import { askPerson, isWaitingForPerson, variablesOf } from '../elicitations/elicitation.ts'
import { findHeldTurn, recordProcess, TurnLost } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import {
  isSessionGone,
  lockSession,
  recordAgentProcess,
  recordConversation,
  type SessionRow,
  transition,
} from '../sessions/session.ts'
import { readSettings } from '../settings/settings.ts'
import {
  asksPeople,
  clonePath,
  equipmentOf,
  openWorkspace,
  placeAttachments,
  removeSecrets,
  removeSessionFiles,
  runtimeHome,
  type SessionEquipment,
  WorkspaceFailed,
} from '../workspaces/workspace.ts'
import { type Claim, claimDispatchedTurn } from './claim.ts'
import { endTurn, type Outcome, untrustedFileFailure } from './end-turn.ts'
import { type Lease, startLeaseRenewal } from './lease-renewal.ts'
import { enforceBudgetsOf, progressRecorder } from './progress-recorder.ts'
import { runTurnJob } from './run-turn-job.ts'
import { supervise } from './supervise.ts'
import { TurnFailed } from './turn-failed.ts'
import { type Access, withAccount } from './with-account.ts'

/**
 * Claims a dispatched turn and runs it in the background of this host. The job ends at once: the row's lease, not the
 * job, shows that the turn is alive. A second worker finds the turn claimed and returns.
 */
export const runTurn = handleJob(runTurnJob, async (payload, app) => {
  const claim = await claimDispatchedTurn(app, payload)
  if (!claim) return
  inWork({ session_id: claim.session.id, turn_id: claim.hold.turnId }, () =>
    app.background.run('a turn', (signal) =>
      inSpan(app.tracing, spanOf(claim), (span) => runClaimed(app, claim, { signal, span })),
    ),
  )
})

/** Part of the trace of the request that brought the prompt, however long it waited and wherever it runs. */
function spanOf({ turn, session, hold }: Claim): SpanAbout {
  const { source, created_at, dispatched_at, traceparent: parent } = turn
  return {
    name: 'turn',
    parent,
    attributes: {
      'yardmaster.session.id': session.id,
      'yardmaster.turn.id': hold.turnId,
      'yardmaster.turn.source': source,
      'yardmaster.turn.waited_seconds': ((dispatched_at ?? created_at).getTime() - created_at.getTime()) / 1000,
      'yardmaster.runtime': session.agent_runtime,
    },
  }
}

type Running = { signal: AbortSignal; span: Span }

async function runClaimed(app: App, claim: Claim, { signal, span }: Running): Promise<void> {
  const lease = startLeaseRenewal(app, claim)
  const startedAt = performance.now()
  try {
    const outcome = await executeTurn(app, claim, { lease, signal })
    await untilReachable(() => endTurn(app, claim.hold, claim.session.id, outcome))
    const seconds = (performance.now() - startedAt) / 1000
    app.metrics.turnSeconds.observe({ outcome: outcome.kind }, seconds)
    if (outcome.kind === 'failed') app.metrics.turnFailures.inc({ reason: outcome.reason })
    logEnd(app, outcome, seconds)
    span.set({ 'yardmaster.turn.outcome': outcome.kind })
    if (outcome.kind === 'failed') span.fail(outcome.reason)
    await untilReachable(() => enforceBudgetsOf(app, claim.session))
    await untilReachable(() => removeFilesIfDeleted(app, claim.session.id))
  } finally {
    lease.stop()
    app.runs.delete(claim.hold.marker)
    app.questions.issued.delete(claim.hold.marker)
  }
}

/** The details are in the session's log; operators see here that there was a failure. */
function logEnd({ log }: App, outcome: Outcome, seconds: number): void {
  const about = { outcome: outcome.kind, seconds: Math.round(seconds) }
  if (outcome.kind === 'failed') log.warn({ ...about, reason: outcome.reason }, 'turn failed')
  else log.info(about, 'turn ended')
}

/** What stops a turn: a lost lease, a withdrawal (both by `lease.signal`), or the host draining (`signal`). */
type StopSignals = { lease: Lease; signal: AbortSignal }

/** Always returns an outcome: an internal error is logged and fails the turn, so the session never stays `running`. */
async function executeTurn(app: App, claim: Claim, stopSignals: StopSignals): Promise<Outcome> {
  if (claim.turn.withdrawn_by !== null) return { kind: 'interrupted' }
  try {
    const runtime = findRuntime(app, claim.session)
    const toAuthorize =
      claim.turn.prompt === '' ? [] : await untilReachable(() => prepareConnectors(app, claim.session))
    if (toAuthorize.length > 0)
      return { kind: 'failed', reason: 'oauth_required', detail: parkingSentence(toAuthorize), toAuthorize }
    const [prepared, chosen] = await Promise.allSettled([
      inSpan(app.tracing, { name: 'workspace' }, () => prepareUnlessStopping(app, claim, runtime, stopSignals)),
      chooseEquipment(app, claim),
    ])
    if (prepared.status === 'rejected') throw prepared.reason
    const conversation = prepared.value
    if (!conversation) return { kind: 'cut_short' }
    if (chosen.status === 'rejected') throw chosen.reason
    try {
      const equipment = await equip(app, claim, { runtime, conversation, chosen: chosen.value })
      if (claim.turn.prompt === '') return { kind: 'prepared' }
      const prompt = await promptWithFiles(app, claim)
      const about = { name: 'agent', attributes: { 'yardmaster.runtime': runtime.name } }
      return await inSpan(app.tracing, about, (span) =>
        withAccount(app, claim, runtime, (access) =>
          runAgent(app, claim, { runtime, conversation, equipment, prompt, access, span, ...stopSignals }),
        ),
      )
    } finally {
      await removeSecrets(app, runtime, conversation.home)
    }
  } catch (error) {
    const isReceiptUnknown = error instanceof ReceiptUnknown
    const fault = isReceiptUnknown ? error.cause : error
    if (fault instanceof TurnFailed) return { kind: 'failed', reason: fault.reason, detail: fault.message }
    if (fault instanceof TurnLost) return { kind: 'lost' }
    if (fault instanceof UntrustedFile) return untrustedFileFailure(fault)
    // The session was deleted meanwhile, which is why the write failed: nothing is left to update.
    if (await untilReachable(() => isSessionGone(app.db, claim.session.id))) return { kind: 'lost' }
    app.log.error({ err: fault }, 'turn failed by an internal error')
    return {
      kind: 'failed',
      reason: 'exception',
      detail: 'An internal error occurred; the server log has the details.',
      isFinal: isReceiptUnknown,
    }
  }
}

/** Undefined if the turn must stop. Errors after that point are consequences of stopping and are ignored. */
async function prepareUnlessStopping(
  app: App,
  { session, write }: Claim,
  runtime: Runtime,
  { lease, signal }: StopSignals,
): Promise<Conversation | undefined> {
  const mustStop = AbortSignal.any([signal, lease.signal])
  try {
    const { conversation } = await untilReachable(() =>
      openWorkspace(app, session, runtime, { write, signal: mustStop }),
    )
    return mustStop.aborted ? undefined : conversation
  } catch (error) {
    if (mustStop.aborted) return undefined
    if (error instanceof WorkspaceFailed) throw new TurnFailed(error.reason, error.message)
    throw error
  }
}

async function chooseEquipment(app: App, { turn, session, key, token, write }: Claim): Promise<SessionEquipment> {
  const environment = await variablesOf(app, session.id, token)
  return equipmentOf(app, session, { goal: turn.goal || session.goal, key, environment, write })
}

type Equipping = { runtime: Runtime; conversation: Conversation; chosen: SessionEquipment }

/** Installs the session's equipment where its agent finds it. Items that cannot be installed are noted in the log. */
async function equip(app: App, claim: Claim, { runtime, conversation, chosen }: Equipping): Promise<Equipment> {
  const { equipment, leftOut } = chosen
  const unsupported = await runtime.equip(conversation, equipment)
  for (const sentence of [...leftOut, ...unsupported]) noteWarning(app, claim, sentence)
  return equipment
}

/** The prompt as the agent gets it, after the files that it names are where the agent can read them. */
async function promptWithFiles(app: App, claim: Claim): Promise<string> {
  const { session, turn } = claim
  const { prompt, warnings } = await untilReachable(() => placeAttachments(app, session.id, turn.prompt))
  for (const sentence of warnings) noteWarning(app, claim, sentence)
  return prompt
}

type Agent = Pick<TurnOrder, 'conversation' | 'equipment' | 'prompt'> & { runtime: Runtime; access: Access; span: Span }

/** Stops the agent if supervising it fails: no agent runs unsupervised. */
async function runAgent(
  app: App,
  claim: Claim,
  { runtime, conversation: opened, equipment, prompt, access, span, ...stopSignals }: StopSignals & Agent,
): Promise<Outcome> {
  const { hold, session, write } = claim
  const activity = new EventTarget()
  const runEnded = new AbortController()
  let conversation = opened
  const started = await start(app, claim, runtime, {
    conversation,
    equipment,
    prompt,
    ...access,
    ...askingPeople(app, claim, runEnded.signal),
    onActivity: () => activity.dispatchEvent(new Event('activity')),
    onNamed: async (id) => {
      conversation = { ...conversation, id }
      await write((tx) => recordConversation(tx, session.id, id))
    },
  })
  if ('outcome' in started) return started.outcome
  const { running } = started
  span.set({ 'process.pid': running.identity.pid })
  // `supervise` awaits it later; without a handler an early rejection would count as unhandled.
  running.ended.catch(() => undefined)
  const isWaiting = () => isWaitingForPerson(app, hold.marker)
  const recordProgress = progressRecorder(app, { hold, session, runtime, conversation: () => conversation })
  try {
    return await supervise(app, { running, recordProgress, activity, isWaiting, ...stopSignals })
  } catch (error) {
    await running.interrupt()
    await untilReachable(() => recordProgress(true)).catch(() => {
      throw new ReceiptUnknown('supervising an agent failed', { cause: error })
    })
    throw error
  } finally {
    runEnded.abort()
  }
}

/** In a session that asks for it, or on a root that does, people decide what the agent may do. */
function askingPeople(app: App, claim: Claim, ended: AbortSignal): Pick<TurnOrder, 'ask'> {
  const { session, hold, write } = claim
  if (!asksPeople(app, session)) return {}
  return {
    ask: async (question, signal) => {
      const asking = { sessionId: session.id, marker: hold.marker, question, write }
      try {
        return await askPerson(app, { ...asking, signal: AbortSignal.any([ended, ...(signal ? [signal] : [])]) })
      } catch (error) {
        if (!(error instanceof TurnLost) && !ended.aborted)
          app.log.error({ err: error }, 'could not ask a person for an agent')
        return { action: 'cancel' }
      }
    },
  }
}

/** An agent ran, and it cannot be said whether it received its prompt. */
class ReceiptUnknown extends Error {}

function findRuntime(app: App, session: SessionRow): Runtime {
  const runtime = app.runtimes.find(session.agent_runtime)
  if (!runtime)
    throw new TurnFailed('spawn_failed', `The runtime ${session.agent_runtime} is not registered on this host.`)
  return runtime
}

/** Aborts the start of an agent whose turn was lost or withdrawn meanwhile. */
class StartAborted extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super(`the turn is ${outcome.kind}`)
    this.outcome = outcome
  }
}

/** The running agent, or the outcome of a turn that ended before its agent got the prompt. */
async function start(
  app: App,
  claim: Claim,
  runtime: Runtime,
  order: Pick<TurnOrder, 'conversation' | 'equipment' | 'prompt' | 'ask' | 'onActivity' | 'onNamed'> & Access,
): Promise<{ running: RunningTurn } | { outcome: Outcome }> {
  const { session, hold } = claim
  try {
    const running = await runtime.start({
      ...order,
      isCommand: asksForCommand(app, claim, runtime),
      model: String(session.config.model),
      ...compaction(session),
      ...(await toolLoading(app)),
      marker: hold.marker,
      traceparent: traceparent(),
      confine: app.confinement.confine({ work: clonePath(app, session.id), home: runtimeHome(app, session.id) }),
      isMachineTheSandbox: app.confinement.isMachineTheSandbox,
      onUp: async (identity) => {
        const outcome = await recordRunning(app, claim, identity)
        if (outcome) throw new StartAborted(outcome)
        app.log.info({ runtime: runtime.name, pid: identity.pid }, 'agent started')
      },
      onNotice: (sentence) => noteWarning(app, claim, sentence),
      onUnauthorized: (serverName) => parkOn(app, claim, serverName),
    })
    return { running }
  } catch (error) {
    if (error instanceof StartAborted) return { outcome: error.outcome }
    if (error instanceof SpawnFailed) throw new TurnFailed('spawn_failed', error.message)
    throw error
  }
}

/** The largest window, which every session has at first, leaves the decision to the agent. */
function compaction({ auto_compact_window: compactWindow }: SessionRow): Pick<TurnOrder, 'compactWindow'> {
  return compactWindow < limits.autoCompactWindow.max ? { compactWindow } : {}
}

async function toolLoading(app: App): Promise<Pick<TurnOrder, 'hasAllToolsAtOnce'>> {
  const { mcp_tool_search_enabled: maySearch } = await untilReachable(() => readSettings(app.db))
  return maySearch ? {} : { hasAllToolsAtOnce: true }
}

/** Only in a session whose creator asked for it: any other prompt is text, whatever it begins with. */
function asksForCommand(app: App, claim: Claim, runtime: Runtime): boolean {
  const { turn, session } = claim
  if (session.config.cli_commands !== true || !turn.prompt.startsWith('/')) return false
  if (runtime.commands) return true
  noteWarning(app, claim, `The runtime ${runtime.name} has no commands. The prompt goes to the model as text.`)
  return false
}

/**
 * Records the process and marks the session as running; after that the agent may get its prompt. Returns an outcome
 * instead if the turn was lost or withdrawn, or the session parked, while the process started: the session must not
 * become `running` then.
 */
async function recordRunning(
  app: App,
  { hold, session }: Claim,
  identity: ProcessIdentity,
): Promise<Outcome | undefined> {
  return untilReachable(() =>
    transact(app.db, async (tx) => {
      const { status } = await lockSession(tx, session)
      const turn = await findHeldTurn(tx, hold)
      if (!turn) return { kind: 'lost' } as const
      // A session that was parked meanwhile gets its prompt after a restart.
      const isParked = status !== 'waiting' && status !== 'running'
      if (turn.withdrawn_by !== null || isParked) return { kind: 'interrupted' } as const
      await recordProcess(tx, hold, identity)
      await recordAgentProcess(tx, session.id, identity.pid)
      // An earlier attempt was committed and only its answer was lost.
      if (status === 'running') return undefined
      await transition(app, tx, { sessionId: session.id, cause: 'turn_started', turnId: hold.turnId })
      await note(app, tx, session.id, `The agent started (process ${identity.pid}). ${app.confinement.sentence}`)
      return undefined
    }),
  )
}

/** The agent's own name of the server, which may differ from the catalog's. */
function parkOn(app: App, { session }: Claim, plainName: string): void {
  const server = app.catalog.current().mcpServers.list.find((each) => each.plainName === plainName)
  if (!server) return
  parkForServer(app, session.id, server.name).catch((error: unknown) =>
    app.log.warn({ err: error }, 'could not park a session whose server asks for a sign-in'),
  )
}

/** Redact before truncating: a truncated secret no longer matches its pattern. */
function noteWarning(app: App, { session, write }: Claim, text: string): void {
  const writeNote = async (): Promise<void> => {
    const sentence = truncate(await app.redactor.text(text), maxNoticeCharacters, '…')
    await write((tx) => note(app, tx, session.id, sentence, 'warning'))
  }
  writeNote().catch((error: unknown) =>
    app.log.warn({ err: error }, 'could not note a warning in the log of a session'),
  )
}

const maxNoticeCharacters = 1000

/** If the session was deleted meanwhile, the turn may have created its folders again after their removal. */
async function removeFilesIfDeleted(app: App, sessionId: number): Promise<void> {
  if (await isSessionGone(app.db, sessionId)) await removeSessionFiles(app, sessionId)
}
