import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Slow files. They start first, so that the run does not wait for them at its end. A fresh clone has no timings yet. */
const long = [
  '/faults/',
  '/surfaces/malformed-requests',
  '/app/',
  '/turns/two-hosts',
  '/conversation/',
  '/platform/git/',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = long.findIndex((part) => moduleId.includes(`/test${part}`))
  return place === -1 ? long.length : place
}
