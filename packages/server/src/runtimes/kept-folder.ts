/** What a driver keeps between the turns of a session out of its agent's reach: beside the home and not in it. */
export function keptFolder(home: string): string {
  return `${home}.kept`
}
