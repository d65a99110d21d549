import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { fileError, readJsonFile } from '../../platform/files/json-file.ts'
import { ownSecrets } from '../../platform/process/environment.ts'
import type { KnownSecret } from '../../platform/redaction/redactor.ts'
import { path } from '../../platform/variable-rules.ts'
import type { DriverContext } from '../driver.ts'
import { isSecretName } from './agent.ts'

export const variables = {
  RUNTIMES_PATH: path().optional(),
}

/** The agents that the operator's file adds. A bad file stops the start. */
export function readAgents(file: string, takenNames: readonly string[]): RuntimeRow[] {
  const { runtimes } = readJsonFile(file, RuntimesFile)
  refuseTakenNames(file, runtimes, takenNames)
  return runtimes
}

function text(max: number) {
  const rule = `must be text of 1 to ${max} characters`
  return z.string(rule).min(1, rule).max(max, rule)
}

const VariableName = z
  .string('must be the name of a variable')
  .regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable')

const ModelRow = z.strictObject({
  id: text(200),
  label: text(100),
  default: z.boolean('must be true or false').default(false),
  requires_oauth: z.boolean('must be true or false').default(false),
})

const RuntimeRow = z.strictObject({
  name: z
    .string('must be a name')
    .regex(/^[a-z][a-z0-9_-]{0,49}$/, 'must be 1 to 50 small letters, digits, _ and -, and begin with a letter'),
  driver: z.enum(['acp'], { error: 'must be "acp", which is the only driver there is' }),
  // A relative path would run a program from the repository.
  command: text(4096).refine(
    (command) => isAbsolute(command) || !command.includes('/'),
    'must be an absolute path or a name to be found on the PATH',
  ),
  args: z.array(z.string('must be text'), 'must be a list of texts').default([]),
  environment: z
    .array(
      VariableName.refine((name) => !ownSecrets.includes(name), "must not name Yardmaster's own secrets"),
      'must be a list of names of variables',
    )
    .default([]),
  set_environment: z.record(VariableName, z.string('must be text'), 'must be an object of texts').default({}),
  models: z
    .array(ModelRow, 'must be a list of models')
    .min(1, 'must name at least one model')
    .refine(
      (rows) => rows.filter((row) => row.default).length === 1,
      'must have exactly one model with "default": true',
    )
    .refine((rows) => new Set(rows.map(({ id }) => id)).size === rows.length, 'must not name a model twice')
    .optional(),
  mode: text(200).optional(),
  auth_method: text(200).optional(),
})
export type RuntimeRow = z.infer<typeof RuntimeRow>

const RuntimesFile = z.strictObject({ runtimes: z.array(RuntimeRow, 'must be a list of runtimes') })

function refuseTakenNames(path: string, rows: readonly RuntimeRow[], takenNames: readonly string[]): void {
  const names = new Set(takenNames)
  rows.forEach(({ name }, index) => {
    if (names.has(name)) throw fileError(path, `runtimes[${index}].name is taken: there is another runtime ${name}`)
    names.add(name)
  })
}

/** The variables that are secrets by their names. Redacting an address or a switch would only spoil the output. */
export function secretsOf(row: RuntimeRow, environment: DriverContext['environment']): KnownSecret[] {
  const passed = row.environment.map((name) => [name, environment[name] ?? ''] as const)
  return [...passed, ...Object.entries(row.set_environment)]
    .filter(([name, value]) => value !== '' && isSecretName(name))
    .map(([name, value]) => ({ label: `ENV:${name}`, value }))
}
