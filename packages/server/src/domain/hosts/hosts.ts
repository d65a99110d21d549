/** The face of the room: which hosts are alive. */
export {
  deleteOldHosts,
  findLiveHosts,
  findSilentHosts,
  hasPeers,
  isHostAlive,
  keptDays,
  markHostsDead,
  noteAlive,
} from './host-store.ts'
