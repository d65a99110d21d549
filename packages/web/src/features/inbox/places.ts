import type { NeedsYou, NeedySession } from '../needs-you/use-needs-you.ts'

/** The ids of the elements through which the keys move. A session that asks may be held as well. */
export const placeOfSession = ({ card }: Pick<NeedySession, 'card'>) => `session-${card.id}`
export const placeOfTrigger = ({ id }: Pick<NeedsYou['triggers'][number], 'id'>) => `trigger-${id}`
export const placeOfHeld = ({ id }: Pick<NeedsYou['held'][number], 'id'>) => `held-${id}`
