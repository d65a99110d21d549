import { defineConfig } from 'vitest/config'
import ordinary from './vitest.config.ts'

// The tests that drive the vendors' real CLIs against a scripted model. `npm run test:agents` installs those and says
// where they are.
export default defineConfig({
  ...ordinary,
  test: {
    ...ordinary.test,
    include: ['test/agents/**/*.agents.ts'],
    provide: { agentClis: JSON.parse(process.env.YARDMASTER_TEST_CLIS ?? '{}') },
    // A CLI takes a second of processor time to start, and several when others start beside it.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
