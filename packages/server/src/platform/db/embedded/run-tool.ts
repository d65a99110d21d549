import { execFile } from 'node:child_process'
import { type SystemUser, spawnIdentity } from '../../home/system-user.ts'

export type ToolResult = { succeeded: boolean; output: string }

/**
 * The environment of the PostgreSQL programs: English messages, which we parse, and none of our secrets. On macOS an
 * unset locale would start threads in the postmaster, which then refuses to run.
 */
export const toolEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }

/** Runs a PostgreSQL program to completion. A program that cannot start counts as failed, with the reason as output. */
export async function runTool(
  program: string,
  args: readonly string[],
  options: { runAs: SystemUser | undefined; timeoutMs: number; input?: string },
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
        // The other user may not be able to enter our working directory.
        cwd: '/',
        env: toolEnvironment,
        timeout: options.timeoutMs,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => {
        const printed = `${stdout}\n${stderr}`.trim()
        const failure = error?.killed ? `${program} did not end within ${options.timeoutMs / 1000} s` : error?.message
        resolve({ succeeded: error === null, output: printed === '' ? (failure ?? '') : printed })
      },
    )
    // Without a listener, a program that exits before reading its input would crash this process.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
  })
}
