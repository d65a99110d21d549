import { randomBytes } from 'node:crypto'

/**
 * Every process of a run inherits this variable, even after it leaves the process group and loses its parent. The tools
 * of coding agents call setsid, so the process group alone would miss them.
 */
export const runMarkerVariable = 'YARDMASTER_RUN'

/** Random, so that no other process carries it by accident. Without blanks, so that `ps` output can be searched. */
export function newRunMarker(): string {
  return `run-${randomBytes(16).toString('hex')}`
}

/** For a part of a run that may have to be stopped separately. A search for the run finds its parts as well. */
export function partMarker(run: string): string {
  return `${run}.${randomBytes(8).toString('hex')}`
}

/** The marker as an environment entry. Throws on a blank marker, which would match processes that are not ours. */
export function markerEntry(marker: string): string {
  if (!/^[\w.:-]+$/.test(marker)) throw new Error(`"${marker}" cannot be a run marker: letters, digits and .:_- only.`)
  return `${runMarkerVariable}=${marker}`
}

/** Whether one of the variables is the marker of the run or of a part of it. `between` separates the variables. */
export function carriesMarker(variables: string, entry: string, between: string): boolean {
  const padded = `${between}${variables}${between}`
  return padded.includes(`${between}${entry}${between}`) || padded.includes(`${between}${entry}.`)
}

/** The run that a marker belongs to: of a part, the whole. */
export function runOf(marker: string): string {
  return marker.split('.', 1)[0] ?? marker
}

/** The value of a variable; undefined if it is not among them. `between` separates the variables. */
export function variableIn(variables: string, name: string, between: string): string | undefined {
  const start = `${between}${variables}`.indexOf(`${between}${name}=`)
  if (start < 0) return undefined
  return variables.slice(start + name.length + 1).split(between, 1)[0]
}
