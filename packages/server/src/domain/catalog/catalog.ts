import type { Catalog } from './open-catalog.ts'

/** The room's public interface: the artifacts that sessions can use, read from files. */
export { type ServerToAuthorize, serversToAuthorize } from './authorization.ts'
export { availabilityOf, missingNames, takesSignIn } from './availability.ts'
export type { CredentialState } from './credential-state.ts'
export { findRoot, goalText, modelFor, runtimeNameFor } from './defaults.ts'
export { type CatalogEquipment, equipFromCatalog, type LeftOut } from './equip.ts'
export { type Catalog, openCatalog } from './open-catalog.ts'
export { fillIn } from './secrets/placeholders.ts'
export { textsOf } from './secrets/secrets.ts'
export {
  type ArtifactList,
  lookUp,
  namesUsedBy,
  type Selection,
  selectArtifacts,
  serversOf,
  serviceServers,
} from './selection.ts'
export type { CatalogTree, DeclaredServer, Root } from './tree.ts'
export { warningsAbout } from './warnings.ts'

declare module '../app.ts' {
  interface App {
    catalog: Catalog
  }
}
