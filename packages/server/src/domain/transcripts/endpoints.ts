import * as contract from '@yardmaster/contract/transcripts/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { showTranscript } from './show-transcript.ts'

export const endpoints = [
  bind(contract.readTranscript, async ({ params, query }, app) =>
    ok(await showTranscript(app, params.id, { isPlainText: query.format === 'text' })),
  ),
]
