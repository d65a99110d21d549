import type { Catalog } from './open-catalog.ts'

/** The room's public interface: the artifacts that sessions can use, read from files. */
export { type ServerToAuthorize, serversToAuthorize } from './authorization.ts'
export { availabilityOf } from './availability.ts'
export type { CredentialState } from './credential-state.ts'
export { findRoot, goalText, modelFor, runtimeNameFor } from './defaults.ts'
export { type CatalogEquipment, equipFromCatalog, type LeftOut } from './equip.ts'
export { type Catalog, openCatalog } from './open-catalog.ts'
export {
  type ArtifactList,
  lookUp,
  type Selection,
  selectArtifacts,
  serversOf,
  serviceServers,
} from './selection.ts'
export type { CatalogTree, Root } from './tree.ts'
export { warningsAbout } from './warnings.ts'

declare module '../app.ts' {
  interface App {
    catalog: Catalog
  }
}
