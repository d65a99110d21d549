import { readdir, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'

/**
 * Replaces npm's launcher by the program that it starts: killing the launcher leaves the agent running, and it costs start-up
 * time. Every other command stays as it is, and so does a launcher whose program is not found.
 */
export async function nativeProgram(command: string): Promise<string> {
  const script = await findScript(command)
  if (!script?.endsWith(join('@openai', 'codex', 'bin', 'codex.js'))) return command
  return (await programBeside(script)) ?? command
}

async function findScript(command: string): Promise<string | undefined> {
  const folders = command.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter)
  for (const folder of folders) {
    const found = await realpath(join(folder, command)).catch(() => undefined)
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
