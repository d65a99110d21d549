import { prune, type Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { deleteSuperseded } from './file-store.ts'
import { tools } from './tools.ts'
import { intervalMs, updateArchive } from './update-archive.ts'

export const archive: Room = {
  name: 'archive',
  endpoints,
  tools,
  periodic: [
    { name: 'update_transcript_archive', queue: 'maintenance', intervalMs, runs: 'one_host', run: updateArchive },
    prune({
      name: 'prune_archive_files',
      keeps: 'snapshots',
      deleteSome: ({ db }, slice) => deleteSuperseded(db, slice),
    }),
  ],
}
