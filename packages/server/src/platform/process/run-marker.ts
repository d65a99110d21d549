import { randomBytes } from 'node:crypto'

/**
 * Every process of a run inherits this variable, also after it left the process group and lost its parent. It is
 * how a run's processes are found again: tools of coding agents call setsid, so the group alone misses them.
 */
export const runMarkerVariable = 'YARDMASTER_RUN'

/** Unguessable, so that no process carries it by accident; without blanks, so that `ps` output can be searched. */
export function newRunMarker(): string {
  return `run-${randomBytes(16).toString('hex')}`
}

/** Of a part of a run that may have to be ended by itself. Whoever looks for the run finds its parts as well. */
export function partMarker(run: string): string {
  return `${run}.${randomBytes(8).toString('hex')}`
}

/** The marker as it stands in an environment. A blank one would match what is not ours, so it is a fault. */
export function markerEntry(marker: string): string {
  if (!/^[\w.:-]+$/.test(marker)) throw new Error(`"${marker}" cannot be a run marker: letters, digits and .:_- only.`)
  return `${runMarkerVariable}=${marker}`
}

/** Whether one of the variables is the marker, or that of a part of its run. `between` is what separates them. */
export function carriesMarker(variables: string, entry: string, between: string): boolean {
  const padded = `${between}${variables}${between}`
  return padded.includes(`${between}${entry}${between}`) || padded.includes(`${between}${entry}.`)
}
