/** The face of the room: the stored keys of runtimes without accounts. */
export { selectProviderKeys as findProviderKeys } from './provider-key-store.ts'
export { openProviderKey } from './provider-keys.ts'
