/** Reads `name=value,name=value`, each percent-encoded, as OpenTelemetry's variables are written. Undefined if it is not that. */
export function readNameValues(list: string): Map<string, string> | undefined {
  const pairs = list
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => /^([^=\s]+)\s*=\s*(.*)$/.exec(pair))
  try {
    return new Map(
      pairs.map((match) => {
        if (!match) throw new URIError('no name')
        return [decodeURIComponent(match[1] ?? ''), decodeURIComponent(match[2] ?? '')]
      }),
    )
  } catch {
    return undefined
  }
}
