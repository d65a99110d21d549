import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/vitest/longest-first.ts'

export default defineConfig({
  // The sources themselves are tested; only what must be a program of its own runs from the build.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database/postgres-server.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Two cores, and most tests wait for other processes.
    maxWorkers: 4,
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
})
