import type { WebOperation } from '@yardmaster/contract/web-operations'

/** As `addresses`, of what only people can do. A path is below `/web/v1` unless it begins with `/web/`. */
export const webAddresses = {
  'browser_session.show': 'GET /web/session',
  'browser_session.create': 'POST /web/session',
  'browser_session.update': 'PATCH /web/session',
  'browser_session.delete': 'DELETE /web/session',
  'browser_session.become_operator': 'POST /web/session/operator',
  'sign_ins.list': 'GET /sign_ins',
  'sign_ins.delete': 'DELETE /sign_ins/{id}',
  'gate_decisions.add_feedback': 'POST /gate_decisions/{id}/feedbacks',
} as const satisfies Record<WebOperation['name'], string>
