import * as contract from '@yardmaster/contract/sign-ins/endpoints'
import { noContent } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { endSignIn, listSignIns } from './sign-in.ts'

export const forPeople = [
  bindList(contract.listSignIns, ({ page, browser }, app) => listSignIns(app, page, browser?.signInId)),
  bind(contract.deleteSignIn, async ({ params }, app) => {
    await endSignIn(app, params.id)
    return noContent()
  }),
]
