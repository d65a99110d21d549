import { execFile } from 'node:child_process'
import { spawnIdentity, type UnprivilegedUser } from '../../home/unprivileged-user.ts'

export type ToolResult = { succeeded: boolean; output: string }

/**
 * What PostgreSQL's programs see of us: English messages, which we read, and none of our secrets. A locale that is set
 * also keeps macOS from starting threads in the postmaster, which it would refuse.
 */
export const toolEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }

/** Runs one of PostgreSQL's programs to its end. A program that cannot even be started has failed, and says why. */
export async function runTool(
  program: string,
  args: readonly string[],
  options: { runAs: UnprivilegedUser | undefined; timeoutMs: number; input?: string },
): Promise<ToolResult> {
  try {
    return await execute(program, args, options)
  } catch (error) {
    return { succeeded: false, output: error instanceof Error ? error.message : String(error) }
  }
}

function execute(
  program: string,
  args: readonly string[],
  options: Parameters<typeof runTool>[2],
): Promise<ToolResult> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      {
        ...spawnIdentity(options.runAs),
        // Ours may be closed to the other user.
        cwd: '/',
        env: toolEnvironment,
        timeout: options.timeoutMs,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => {
        const said = `${stdout}\n${stderr}`.trim()
        const failure = error?.killed ? `${program} did not end within ${options.timeoutMs / 1000} s` : error?.message
        resolve({ succeeded: error === null, output: said === '' ? (failure ?? '') : said })
      },
    )
    // A program that ends without reading its input must not take us along.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
  })
}
