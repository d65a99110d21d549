import * as contract from '@yardmaster/contract/outcomes/endpoints'
import { answer, created, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { analyze, showBatch } from './batch.ts'
import { cancelBatch } from './cancel-batch.ts'
import { listAnalyses, saveAnalysis, showAnalysis } from './outcome.ts'

export const endpoints = [
  bind(contract.saveAnalysis, async ({ body, agentOf }, app) => created(await saveAnalysis(app, body, { agentOf }))),
  bindList(contract.listAnalyses, ({ filters, page }, app) => listAnalyses(app, filters, page)),
  bind(contract.analyze, async ({ body }, app) => answer(202, { analysis_batch: await analyze(app, body) })),
  bind(contract.showBatch, async ({ params }, app) => ok({ analysis_batch: await showBatch(app, params.id) })),
  bind(contract.cancelBatch, async ({ params }, app) => ok({ analysis_batch: await cancelBatch(app, params.id) })),
  bind(contract.showAnalysis, async ({ params }, app) => ok({ outcome_analysis: await showAnalysis(app, params.id) })),
]
