import { z } from 'zod'
import { defineEvent } from '../event.ts'
import { Id } from '../identifiers.ts'

/** The cards of a section were put in another order; null is Uncategorized. */
export const boardReordered = defineEvent({
  name: 'board.reordered',
  payload: z.object({ category_id: Id.nullable() }),
})
