/** The face of the room: telling people about a session. */
export { notify } from './notify.ts'
