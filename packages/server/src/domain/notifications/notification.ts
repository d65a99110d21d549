/** The face of the room: telling people about a session. */
export { acknowledge } from './acknowledge.ts'
export { announceDeletion } from './announce-deletion.ts'
export { notify } from './notify.ts'
export { markReadAbout } from './read-notifications.ts'
