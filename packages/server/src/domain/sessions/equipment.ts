import type { Equipment } from '../../runtimes/equipment.ts'
import type { App } from '../app.ts'
import { equipFromCatalog, goalText } from '../catalog/catalog.ts'
import type { SessionRow } from './session-table.ts'

export type SessionEquipment = {
  equipment: Equipment
  /** What the agent has to do without, in sentences for people. */
  leftOut: string[]
}

/** What the agent of a session is given for a turn, as the catalog is now. */
export async function equipmentOf(app: App, session: SessionRow, goal: string | null): Promise<SessionEquipment> {
  const { mcpServers, skills, hooks, leftOut } = await equipFromCatalog(app.catalog, session)
  const sentences = leftOut.map(({ sentence }) => sentence)
  return {
    equipment: {
      instructions: instructions(app, session, { goal, leftOut: sentences }),
      mcpServers,
      skills,
      hooks,
      environment: {},
    },
    leftOut: sentences,
  }
}

type Told = { goal: string | null; leftOut: readonly string[] }

function instructions(app: App, { session_notes: notes }: SessionRow, { goal, leftOut }: Told): string {
  return [
    goal ? `The goal of this session:\n${goalText(app, goal)}` : [],
    notes ? `Notes about this session:\n${notes}` : [],
    leftOut.length > 0 ? `You have to do without some of what was chosen for you:\n${leftOut.join('\n')}` : [],
  ]
    .flat()
    .join('\n\n')
}
