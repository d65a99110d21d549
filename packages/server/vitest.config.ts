import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/vitest/longest-first.ts'

export default defineConfig({
  // Tests import the sources; only separate processes run the build.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database/postgres-server.ts', 'test/support/app/operation-coverage.ts'],
    // They only end a test that hangs. Other work on the machine can make a test many times slower than it is alone.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
    pool: 'forks',
    // One more than the usual two cores: most tests wait for other processes.
    maxWorkers: 3,
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})
