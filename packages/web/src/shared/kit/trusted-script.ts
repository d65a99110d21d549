import colourWorker from '../colours/worker.ts?worker&url'

/** Notifies of pushes, also while no page is open. */
export const serviceWorker = '/sw.js'

const scripts: readonly string[] = [serviceWorker, colourWorker]

type ScriptPolicy = { createScriptURL(address: string): string }
type TrustedTypes = { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy }

let policy: ScriptPolicy | undefined

/** The policy of the pages lets the address of a script through only from the one Trusted Types policy that it names, made once. */
export function trustedScript(address: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('yardmaster', {
    createScriptURL: (given) => {
      if (!scripts.includes(given)) throw new TypeError(`${given} is no worker of the pages`)
      return given
    },
  })
  return policy?.createScriptURL(address) ?? address
}
