import type { BetaOptions } from '../../../src/runtimes/beta/config.ts'
import { models } from '../../../src/runtimes/beta/models.ts'
import { betaRuntime } from '../../../src/runtimes/beta/runtime.ts'
import { offeredModels } from '../../../src/runtimes/models.ts'
import type { Runtime } from '../../../src/runtimes/runtime.ts'
import { cli } from './cli.ts'
import { type DrivenSession, drivenSession } from './driven-session.ts'
import { modelServer } from './model-server.ts'

/** Sessions of the real codex with a scripted model, without a server. */
export function betaDriver() {
  const model = modelServer()
  const beta = (options: Partial<BetaOptions> = {}): Runtime =>
    betaRuntime({
      command: cli('runtime_beta'),
      models: offeredModels(models),
      environment: { OPENAI_API_KEY: 'scripted' },
      baseUrl: `${model.url}/v1`,
      ...options,
    })
  const session = (options: Partial<BetaOptions> = {}): Promise<DrivenSession> =>
    drivenSession(beta(options), { model: 'gpt-6.1-sol' })
  return { model, beta, session }
}
