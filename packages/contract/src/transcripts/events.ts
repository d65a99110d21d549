import { z } from 'zod'
import { defineEvent } from '../event.ts'

/**
 * Entries were stored. Transient: at most four a second for each thread, never stored and never replayed. A reader that
 * has not seen the entry before `from` has missed one, and reads on from the last entry that it has.
 */
export const transcriptAppended = defineEvent({
  name: 'transcript.appended',
  payload: z.object({
    thread: z.string().meta({ description: '`main`, or the thread of a subagent.' }),
    from: z.int().meta({ description: 'The sequence of the first new entry.' }),
    to: z.int().meta({ description: 'The sequence of the last one.' }),
  }),
})
