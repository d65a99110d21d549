/** The face of the room: speaking to a session. */
export { deliver } from './speak.ts'
