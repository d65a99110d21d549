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

/** Claude Code's CLI: one process per turn, JSON lines on its standard streams. */
export function alphaRuntime(options: AlphaOptions): Runtime {
  return {
    name,
    hasCommands: true,
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
