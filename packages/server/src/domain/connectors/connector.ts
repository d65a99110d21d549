/** The face of the room: how people authorize MCP servers, and how sessions wait for it and reach them. */
export { beginFlow, type NextStep } from './begin-flow.ts'
export { type Completed, completeFlow, completePasted } from './complete-flow.ts'
export { disconnect } from './disconnect.ts'
export { findBegun } from './flow-store.ts'
export { findReachable, type Reachable, sendAuthorized } from './gateway.ts'
export { sessionStatus } from './list-connectors.ts'
export { parkForServer, parkingSentence, prepareConnectors } from './parking.ts'
export { findSignInState } from './remote-server.ts'
