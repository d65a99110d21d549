import { eventually } from '../vitest/eventually.ts'
import type { ApiCalls } from './api-calls.ts'

/** The health report, read again where a busy machine made a section miss its time. */
export async function healthReport(app: Pick<ApiCalls, 'get'>) {
  const { body } = await eventually(
    () => app.get('/health'),
    ({ body }) => !JSON.stringify(body).includes('"section_failed"'),
  )
  return body.health_report
}
