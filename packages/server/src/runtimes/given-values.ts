/** The named variables that have a value, for the environment of an agent. */
export function givenValues<const Name extends string>(
  config: Readonly<Record<Name, string | undefined>>,
  names: readonly Name[],
): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (config[name] ? [[name, config[name]]] : [])))
}
