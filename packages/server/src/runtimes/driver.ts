import type { z } from 'zod'
import type { KnownSecret } from '../platform/redaction/redactor.ts'
import type { PinnedCli } from './cli.ts'
import type { ModelRow } from './models.ts'
import type { FamilyPrices } from './prices.ts'
import type { Runtime, RuntimeModel } from './runtime.ts'

type Variables = Readonly<Record<string, z.ZodType>>
type Values<V extends Variables> = { readonly [Name in keyof V]: z.output<V[Name]> }

/**
 * Everything the server knows about one vendor's agent. A driver is one folder here and one line in `registry.ts`; the rest
 * of the server reads its configuration, redacts its secrets, offers its models and lists its CLI from this declaration.
 */
export type RuntimeDriver = DriverDeclaration<Variables>

type DriverDeclaration<V extends Variables> = {
  /**
   * Names the driver in `npm run agents:install -- NAME` and in the models file. A driver with a single runtime gives the
   * runtime the same name.
   */
  name: string
  /** The environment variables that the driver reads, each with the rule for its value. Blank counts as unset. */
  variables: V
  /** The variables whose values are redacted from everything the server stores. */
  secrets: readonly (keyof V & string)[]
  /** The program that `npm run agents:install` installs. */
  cli?: PinnedCli
  /** The built-in model list. The operator's models file may replace it. */
  models?: readonly ModelRow[]
  /** What its models cost by the vendor's list. The operator's price file replaces it. */
  prices?: FamilyPrices
  open(context: DriverContext<V>): Promise<OpenedDriver>
}

export type DriverContext<V extends Variables = Variables> = {
  /** The values of the driver's variables. */
  config: Values<V>
  /** The operator's model list if there is one, else the built-in list. */
  models: readonly RuntimeModel[]
  /** Where `npm run agents:install` puts programs on this host. */
  agentsFolder: string
  /** The names of the runtimes that drivers registered earlier have opened. */
  takenNames: readonly string[]
  /** For variables that an operator's file names. A driver reads its own variables from `config`. */
  environment: Readonly<Record<string, string | undefined>>
}

export type OpenedDriver = {
  runtimes: readonly Runtime[]
  /** Secrets from elsewhere than the driver's variables, such as a file of the operator's. */
  secrets?: readonly KnownSecret[]
}

/** Types the values that `open` receives by the declared variables. */
export function defineDriver<const V extends Variables>(driver: DriverDeclaration<V>): RuntimeDriver {
  // Safe: `readConfig` parses the values by these very variables before the server calls `open`.
  return driver as unknown as RuntimeDriver
}
