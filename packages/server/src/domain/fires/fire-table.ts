import type { FireOutcome, FireSource } from '@yardmaster/contract/fires/fields'
import type { Generated, Selectable } from 'kysely'

type FireTable = {
  id: Generated<number>
  trigger_id: number
  condition_id: number | null
  fired_by: FireSource
  event_key: string
  outcome: FireOutcome
  session_id: number | null
  reason: string | null
  scheduled_for: Date | null
  times: Generated<number>
  fired_at: Generated<Date>
  last_fired_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    trigger_events: {
      trigger_id: number
      event_key: string
      conversation: string | null
      occurred_at: Date
      session_id: number | null
      is_anchor: Generated<boolean>
      created_at: Generated<Date>
    }
    trigger_fires: FireTable
  }
}

export type FireRow = Selectable<FireTable>
