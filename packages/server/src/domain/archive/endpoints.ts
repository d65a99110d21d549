import * as contract from '@yardmaster/contract/archive/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { openDownload, showStatus } from './read-archive.ts'

export const endpoints = [
  bind(contract.showArchiveStatus, async (_request, app) => ok(await showStatus(app))),
  bind(contract.downloadArchive, async ({ query, headers }, app) => ok(await openDownload(app, query, headers))),
]
