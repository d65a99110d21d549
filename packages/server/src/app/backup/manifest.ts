import { z } from 'zod'
import { DumpedTable } from './dump-database.ts'

export const manifestName = 'manifest.json'
export const sequencesName = 'database/sequences.json'
/** The last entry. It has the digest of everything before it: a backup without it is not whole. */
export const endName = 'end.json'

export const Manifest = z.object({
  format: z.literal(1),
  version: z.string(),
  createdAt: z.string(),
  /** Null if only the home was backed up. */
  database: z
    .object({
      digests: z.array(z.string()),
      tables: z.array(DumpedTable),
      /** The ids of the keys that seal its credentials. Earlier versions sealed none. */
      vaultKeys: z.array(z.string()).default([]),
    })
    .nullable(),
})

export type Manifest = z.infer<typeof Manifest>

export const End = z.object({ sha256: z.string(), bytes: z.int() })
