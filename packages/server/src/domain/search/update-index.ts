import type { RunResult } from '../../platform/jobs/periodic.ts'
import type { App } from '../app.ts'
import { indexDocuments } from './index-documents.ts'
import { indexTranscripts } from './index-transcripts.ts'

/** A running turn appends every second; waiting this long indexes several seconds of it in one batch. */
const settleMs = 10_000

/** Indexes one batch of each kind. Until then searches read unindexed text directly. */
export async function updateIndex(app: App): Promise<RunResult> {
  const isMore = [await indexDocuments(app, { settleMs }), await indexTranscripts(app, { settleMs })]
  return isMore.includes(true) ? 'again' : 'done'
}
