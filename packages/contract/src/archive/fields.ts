import { z } from 'zod'
import { queryTime } from '../query.ts'
import { Timestamp } from '../timestamp.ts'

/** Which sessions the zip contains. Without a filter: all of them. */
export const ArchiveFilters = z.object({
  agent_root: z.string().optional().meta({ description: 'Only sessions that were created from this root.' }),
  from: queryTime().meta({ description: 'Only sessions that were created at this time or later.' }),
  to: queryTime({ isEnd: true }).meta({
    description: 'Only sessions that were created before this time. A date without a time counts to its end.',
  }),
})

export type ArchiveFilters = z.output<typeof ArchiveFilters>

export const ArchiveStatus = z
  .object({
    state: z.literal('present').meta({ description: 'A 404 says `never_built` or `missing`.' }),
    generated_at: Timestamp.meta({ description: 'When changed sessions were last stored.' }),
    session_count: z.int().meta({ description: 'How many sessions the zip contains.' }),
    file_size_bytes: z.int().meta({ description: 'The size of the zip.' }),
    stale: z.boolean().meta({ description: 'Whether the last run is longer ago than it should be.' }),
    stale_reason: z.string().nullable().meta({ description: 'Why it is stale; null if it is not.' }),
    complete: z.boolean().meta({ description: 'Whether every session is stored as it was at `generated_at`.' }),
    deferred_count: z.int().meta({ description: 'How many changed sessions wait for the next run.' }),
    incomplete_reason: z.string().nullable().meta({ description: 'Why it is not complete; null if it is.' }),
    download_url: z.string().meta({ description: 'Where to download the zip, with an API key.' }),
  })
  .meta({ id: 'ArchiveStatus' })

export type ArchiveStatus = z.infer<typeof ArchiveStatus>
