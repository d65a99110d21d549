import { modules } from '../../../src/app/modules.ts'
import type { App } from '../../../src/domain/app.ts'
import type { RunResult } from '../../../src/platform/jobs/periodic.ts'

/** Runs the periodic work of that name once, as a host does. */
export async function runPeriodic(app: App, name: string): Promise<RunResult> {
  const task = modules.flatMap(({ periodic = [] }) => periodic).find((each) => each.name === name)
  if (!task) throw new Error(`no room declares ${name}`)
  return (await task.run(app, new AbortController().signal)) ?? 'done'
}
