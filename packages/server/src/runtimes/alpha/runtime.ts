import { randomUUID } from 'node:crypto'
import type { Runtime } from '../runtime.ts'
import type { AlphaOptions } from './config.ts'
import { equip } from './equip.ts'
import { readableEntry } from './readable.ts'
import { removeSecrets } from './remove-secrets.ts'
import { isWorthKeeping, showsReceipt } from './transcript.ts'
import { transcriptFiles } from './transcript-files.ts'
import { startTurn } from './turn.ts'
import { usageOf } from './usage.ts'
import { writeTranscript } from './write-transcript.ts'

export const name = 'runtime_alpha'

/** Those that work without a terminal and that a session has a use for. */
const commands = [
  { name: 'compact', description: 'Summarise the conversation so far, to free its context' },
  { name: 'context', description: 'Show what fills the context' },
  { name: 'usage', description: 'Show what the conversation has cost' },
]

/** Claude Code's CLI: one process per turn, JSON lines on its standard streams. */
export function alphaRuntime(options: AlphaOptions): Runtime {
  return {
    name,
    commands,
    takesCompactWindow: true,
    models: () => options.models,
    newConversationId: () => randomUUID(),
    equip,
    start: (order) => startTurn(order, options),
    removeSecrets,
    transcriptFiles,
    writeTranscript,
    showsReceipt,
    isWorthKeeping,
    readable: readableEntry,
    usageOf,
  }
}
