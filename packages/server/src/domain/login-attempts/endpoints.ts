import * as contract from '@yardmaster/contract/accounts/endpoints'
import { created, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { cancelAttempt, listAttempts, pasteCode, showAttempt, startAttempt } from './sign-in.ts'

export const endpoints = [
  bind(contract.startLoginAttempt, async ({ body }, app) => created({ login_attempt: await startAttempt(app, body) })),
  bindList(contract.listLoginAttempts, ({ page, filters }, app) => listAttempts(app, filters, page)),
  bind(contract.showLoginAttempt, async ({ params }, app) => ok({ login_attempt: await showAttempt(app, params.id) })),
  bind(contract.pasteLoginCode, async ({ params, body }, app) =>
    ok({ login_attempt: await pasteCode(app, params.id, body.code) }),
  ),
  bind(contract.cancelLoginAttempt, async ({ params }, app) =>
    ok({ login_attempt: await cancelAttempt(app, params.id) }),
  ),
]
