import * as contract from '@yardmaster/contract/transcripts/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { showEntries, showPart } from './show-entries.ts'
import { showTranscript } from './show-transcript.ts'

export const endpoints = [
  bind(contract.readTranscript, async ({ params, query }, app) =>
    ok(await showTranscript(app, params.id, { isPlainText: query.format === 'text' })),
  ),
  bind(contract.listEntries, async ({ params, query }, app) => ok(await showEntries(app, params.id, query))),
  bind(contract.showPart, async ({ params: { id, sequence, n }, query: { thread } }, app) =>
    ok({ part: await showPart(app, id, { thread, sequence, n }) }),
  ),
]
