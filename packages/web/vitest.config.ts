import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/shared-server.ts', 'test/support/operation-coverage.ts'],
    // They only end a test that hangs. Other work on the machine can make a test many times slower than it is alone.
    testTimeout: 600_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000, interval: 50 } },
    pool: 'forks',
    maxWorkers: 2,
  },
})
