import { defineConfig } from 'vitest/config'
import ordinary from './vitest.config.ts'

// The tests of the vendors' real CLIs with a scripted model. `npm run test:agents` installs the CLIs and passes their
// paths.
export default defineConfig({
  ...ordinary,
  test: {
    ...ordinary.test,
    include: ['test/agents/**/*.agents.ts'],
    // Without the check that every operation is called: these tests are about agents.
    globalSetup: ['test/support/database/postgres-server.ts'],
    provide: { agentClis: JSON.parse(process.env.YARDMASTER_TEST_CLIS ?? '{}') },
    // A CLI needs a second of CPU time to start, and several CLIs start at once.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
