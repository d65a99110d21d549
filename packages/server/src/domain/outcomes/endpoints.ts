import * as contract from '@yardmaster/contract/outcomes/endpoints'
import { created, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { listAnalyses, saveAnalysis, showAnalysis } from './outcome.ts'

export const endpoints = [
  bind(contract.saveAnalysis, async ({ body, agentOf }, app) => created(await saveAnalysis(app, body, { agentOf }))),
  bindList(contract.listAnalyses, ({ filters, page }, app) => listAnalyses(app, filters, page)),
  bind(contract.showAnalysis, async ({ params }, app) => ok({ outcome_analysis: await showAnalysis(app, params.id) })),
]
