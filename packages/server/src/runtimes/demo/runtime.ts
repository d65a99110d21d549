import { randomUUID } from 'node:crypto'
import type { Runtime } from '../runtime.ts'
import { transcriptFiles, writeTranscript } from './transcript.ts'
import { startTurn } from './turn.ts'
import { usageOf } from './usage.ts'

/** The built-in agent: a real child process that executes its prompt line by line and needs no key. */
export const demoRuntime: Runtime = {
  name: 'demo',
  models: () => [{ id: 'demo', label: 'Demo', default: true, requires_oauth: false }],
  newConversationId: () => randomUUID(),
  equip: async () => [],
  start: startTurn,
  transcriptFiles,
  writeTranscript,
  showsReceipt: () => true,
  isWorthKeeping: () => true,
  usageOf,
}
