import type { Row } from './config-table.ts'

const declared = { AGENTS: 4, POLLERS: 3, TRIGGERS: 2, INFERENCE: 2, PUSHES: 2, MAINTENANCE: 2, DEFAULT: 4 }

export const threadRows = Object.entries(declared).map(
  ([queue, unset]): Row => ({
    name: `JOB_${queue}_THREADS`,
    unset,
    good: [['16', 16]],
    bad: ['0', '-1', '2.5', '65', 'all'],
    rule: 'must be a whole number from 1 to 64',
  }),
)
