import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/vitest/longest-first.ts'

export default defineConfig({
  // Tests import the sources; only separate processes run the build.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database/postgres-server.ts', 'test/support/app/operation-coverage.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // More workers than the usual two cores: most tests wait for other processes.
    maxWorkers: 4,
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})
