import { trustedScript } from '../kit/trusted-script.ts'
import type { Piece } from './pieces.ts'
import workerFile from './worker.ts?worker&url'

type Pieces = readonly Piece[] | undefined

/** Code of the longest kind takes a fraction of this. Text that was written to take a grammar for ever keeps its worker for no longer. */
const mostMs = 3_000

let loading: Promise<Worker> | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Colours code in a worker, one after another: an expression of a grammar cannot be stopped, but its worker can. Answers undefined for
 * code that stays as it is.
 */
export function colour(text: string, language: string, signal: AbortSignal): Promise<Pieces> {
  const pieces = last.then(async () => (signal.aborted ? undefined : ask(await loaded(), text, language)))
  // Without its file, or with a browser that has no workers, code stays as it is.
  const settled = pieces.catch(() => undefined)
  last = settled
  return settled
}

/** The time of loading is not counted: it depends on the network. */
function loaded(): Promise<Worker> {
  loading ??= new Promise<Worker>((resolve, reject) => {
    const worker = new Worker(trustedScript(workerFile), { type: 'module' })
    worker.onmessage = () => resolve(worker)
    worker.onerror = reject
  }).catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

function ask(worker: Worker, text: string, language: string): Promise<Pieces> {
  return new Promise((resolve) => {
    const end = (pieces?: Pieces) => {
      clearTimeout(timer)
      resolve(pieces)
    }
    const giveUp = () => {
      worker.terminate()
      loading = undefined
      end()
    }
    const timer = setTimeout(giveUp, mostMs)
    worker.onmessage = ({ data }: MessageEvent<Pieces>) => end(data)
    worker.onerror = giveUp
    worker.postMessage({ text, language })
  })
}
