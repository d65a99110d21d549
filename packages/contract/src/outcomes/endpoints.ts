import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { NewAnalysis, OutcomeAnalysis, OutcomeFilters, OutcomeSummary, SavedAnalysis } from './fields.ts'

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

export const endpoints = [saveAnalysis, listAnalyses, showAnalysis] as const
