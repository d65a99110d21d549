import { readdir, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'

/**
 * The program itself where npm's launcher is named. A launcher that is killed leaves the agent running, and costs time.
 * Anything else, and a launcher whose program is not where it should be, is run as it is named.
 */
export async function nativeProgram(command: string): Promise<string> {
  const script = await findScript(command)
  if (!script?.endsWith(join('@openai', 'codex', 'bin', 'codex.js'))) return command
  return (await programBeside(script)) ?? command
}

async function findScript(command: string): Promise<string | undefined> {
  const places = command.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter)
  for (const place of places) {
    const found = await realpath(join(place, command)).catch(() => undefined)
    if (found !== undefined) return found
  }
  return undefined
}

async function programBeside(script: string): Promise<string | undefined> {
  try {
    const manifest = createRequire(script).resolve(`@openai/codex-${process.platform}-${process.arch}/package.json`)
    const vendor = join(dirname(manifest), 'vendor')
    const [target] = await readdir(vendor)
    return target === undefined ? undefined : await realpath(join(vendor, target, 'bin', 'codex'))
  } catch {
    return undefined
  }
}
