import * as contract from '@yardmaster/contract/people/endpoints'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { addPerson, changePerson, listPeople, removePerson, showPerson } from './people.ts'

export const endpoints = [
  bindList(contract.listPeople, ({ page }, app) => listPeople(app, page)),
  bind(contract.showPerson, async ({ params }, app) => ok({ person: await showPerson(app, params.key) })),
  bind(contract.createPerson, async ({ body }, app) => created({ person: await addPerson(app, body) })),
  bind(contract.updatePerson, async ({ params, body }, app) =>
    ok({ person: await changePerson(app, params.key, body) }),
  ),
  bind(contract.deletePerson, async ({ params }, app) => {
    await removePerson(app, params.key)
    return noContent()
  }),
]
