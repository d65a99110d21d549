/** The face of the room: a session's tree, the human messages in it, and uncle links. */
export { findCaptureGaps } from './capture-gaps.ts'
export { countFamily } from './family-store.ts'
export { findHierarchy } from './find-hierarchy.ts'
export {
  findHumanMessages,
  type Heard,
  hear,
  type RedactedContent,
  recordHeard,
  recordHumanMessage,
  redactContent,
} from './human-messages.ts'
export { recordUncle } from './record-uncle.ts'
export { findInTree } from './within-tree.ts'
