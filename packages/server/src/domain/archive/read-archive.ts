import type { IncomingHttpHeaders } from 'node:http'
import type { ArchiveFilters, ArchiveStatus } from '@yardmaster/contract/archive/fields'
import { limits } from '@yardmaster/contract/limits'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { Download } from '../../platform/http/download.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { generationOf, type PlannedArchive, planArchive } from './plan-archive.ts'
import { type ArchiveState, selectState } from './state-store.ts'
import { intervalMs } from './update-archive.ts'

declare module '../app.ts' {
  interface App {
    /** How many downloads of the archive this host sends at the moment. */
    archiveDownloads: { open: number }
  }
}

/** For a caller beyond the limit: downloads read as fast as the database can, and must leave it to others too. */
const retryAfterSeconds = 30

/** How long a run may take before the archive counts as stale. */
const slackSeconds = 300

export async function showStatus(app: App): Promise<ArchiveStatus> {
  const state = await presentState(app)
  return {
    state: 'present',
    generated_at: formatTimestamp(state.generated_at),
    session_count: state.session_count,
    file_size_bytes: state.file_size_bytes,
    ...staleness(state),
    complete: isComplete(state),
    deferred_count: state.deferred_count,
    incomplete_reason: state.incomplete_reason,
    download_url: `${(await app.serviceUrl) ?? ''}/api/v1/transcript_archive/download`,
  }
}

export async function openDownload(app: App, filters: ArchiveFilters, headers: IncomingHttpHeaders): Promise<Download> {
  const state = await presentState(app)
  const { generated_at: generatedAt } = state
  const { sizeBytes, sessionCount, tag, open } = await choosePlan(app, state, filters, headers)
  const { stale, stale_reason: reason } = staleness(state)
  return new Download({
    filename: `transcript_archive_${fileTime(generatedAt)}.zip`,
    type: 'application/zip',
    sizeBytes,
    tag,
    headers: {
      'x-archive-generated-at': formatTimestamp(generatedAt),
      'x-archive-session-count': String(sessionCount),
      'x-archive-stale': String(stale),
      ...(reason !== null && { 'x-archive-stale-reason': reason }),
      'x-archive-complete': String(isComplete(state)),
    },
    open: (part) => open(part, takePlace(app)),
  })
}

/** The newest archive; for a download that is continued, the one it began with, if all of that is still there. */
async function choosePlan(
  app: App,
  { generation, generated_at: generatedAt }: ArchiveState,
  filters: ArchiveFilters,
  { range, 'if-range': begun }: IncomingHttpHeaders,
): Promise<PlannedArchive> {
  const earlier = range === undefined ? undefined : generationOf(String(begun))
  if (earlier !== undefined && earlier < generation) {
    const plan = await planArchive(app, { generation: earlier, filters }, generatedAt)
    if (`"${plan.tag}"` === begun) return plan
  }
  return planArchive(app, { generation, filters }, generatedAt)
}

/** Returns the function that gives it back. */
function takePlace({ archiveDownloads: downloads }: App): () => void {
  if (downloads.open >= limits.archiveDownloads)
    refuse(
      'too_many_downloads',
      `${limits.archiveDownloads} downloads of the archive are under way; try again when one has ended`,
      {
        retry_after: retryAfterSeconds,
      },
    )
  downloads.open++
  return () => {
    downloads.open--
  }
}

/** Refuses while there is no archive: before the first run, or when every session that was stored is deleted. */
async function presentState({ db }: App): Promise<ArchiveState> {
  const state = await selectState(db)
  const place = { archive_path: 'database table archive_files' }
  if (!state)
    return refuse('no_archive', 'The archive has not been built yet; a worker builds it within minutes of its start', {
      state: 'never_built',
      ...place,
    })
  if (state.is_missing)
    refuse('no_archive', 'All sessions of the archive were deleted; the next run builds it again', {
      state: 'missing',
      ...place,
    })
  return state
}

function isComplete({ incomplete_reason: reason }: ArchiveState): boolean {
  return reason === null
}

/** While a backlog drains, a run follows another, so that the last one is recent and the archive is not called stale. */
function staleness(state: ArchiveState): Pick<ArchiveStatus, 'stale' | 'stale_reason'> {
  const stale = state.age_seconds > intervalMs / 1000 + slackSeconds
  const minutes = Math.floor(state.age_seconds / 60)
  const reason = `The last run ended ${minutes} minutes ago; one is due every ${intervalMs / 60_000} minutes`
  return { stale, stale_reason: stale ? reason : null }
}

/** `20260830_101000`, in UTC. */
function fileTime(time: Date): string {
  return time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')
}
