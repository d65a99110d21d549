import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam, SessionRef } from '../identifiers.ts'
import {
  AnalysisBatch,
  NewAnalysis,
  NewBatch,
  OutcomeAnalysis,
  OutcomeFilters,
  OutcomeSummary,
  SavedAnalysis,
} from './fields.ts'

const tag = 'Outcome analyses'

export const saveAnalysis = defineEndpoint({
  name: 'outcome_analyses.save',
  auth: 'api_key',
  method: 'POST',
  path: '/outcome_analyses',
  tag,
  summary: 'Save the analysis of an archived session',
  description:
    'The whole tree is checked first: if anything is wrong, every problem is named and nothing is stored. A later analysis of the same session takes the place of the earlier one, which is kept.',
  body: NewAnalysis,
  answers: { 201: SavedAnalysis },
  refusals: ['not_found', 'unanalyzable_session', 'invalid_segment_tree'],
})

export const listAnalyses = defineList({
  name: 'outcome_analyses.list',
  auth: 'api_key',
  path: '/outcome_analyses',
  tag,
  summary: 'List current analyses, newest first, without their trees',
  key: 'outcome_analyses',
  item: OutcomeSummary,
  filters: OutcomeFilters,
  invalidQuery: 'invalid_filter',
})

export const showAnalysis = defineEndpoint({
  name: 'outcome_analyses.show',
  auth: 'api_key',
  method: 'GET',
  path: '/outcome_analyses/{id}',
  tag,
  summary: 'Show the current analysis of a session, with its tree',
  params: z.object({ id: SessionRef.meta({ description: 'The session that was analysed: its id or slug.' }) }),
  answers: { 200: z.object({ outcome_analysis: OutcomeAnalysis }) },
  refusals: ['not_found'],
})

const Batch = z.object({ analysis_batch: AnalysisBatch })

export const analyze = defineEndpoint({
  name: 'outcome_analyses.analyze',
  auth: 'api_key',
  method: 'POST',
  path: '/outcome_analyses/analyze',
  tag,
  summary: 'Start sessions that analyse archived sessions',
  description:
    'Takes `session_ids`, or filters that find archived sessions without an analysis. Which sessions belong to the batch is decided by the call. Each is analysed by a spot session of its own, `concurrency` at a time, and the result is saved with the same checks as a given one.',
  body: NewBatch,
  answers: { 202: Batch },
  refusals: ['not_found', 'validation_failed', 'unanalyzable_session', 'cannot_spawn'],
})

export const showBatch = defineEndpoint({
  name: 'outcome_analyses.show_batch',
  auth: 'api_key',
  method: 'GET',
  path: '/outcome_analyses/batches/{id}',
  tag,
  summary: 'Show how far a batch of analyses is',
  params: z.object({ id: IdParam }),
  answers: { 200: Batch },
  refusals: ['not_found'],
})

export const cancelBatch = defineEndpoint({
  name: 'outcome_analyses.cancel_batch',
  auth: 'api_key',
  method: 'POST',
  path: '/outcome_analyses/batches/{id}/cancel',
  tag,
  summary: 'End a batch of analyses',
  description:
    'Its sessions that wait or are being analysed become `cancelled`, and the sessions that analyse them are archived. What was saved stays. A batch that is done is answered as it is.',
  params: z.object({ id: IdParam }),
  answers: { 200: Batch },
  refusals: ['not_found'],
})

export const endpoints = [saveAnalysis, listAnalyses, analyze, showBatch, cancelBatch, showAnalysis] as const
