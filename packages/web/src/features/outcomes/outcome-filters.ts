import type { OutcomesSearch } from './outcomes-search.ts'

/** The filters of the address in the words of the API. Apart from the address, which every page reads. */
export function filtersOf({ outcome, root, runtime, model, from, to }: OutcomesSearch) {
  return {
    ...(outcome && { outcome }),
    ...(root && { agent_root: root }),
    ...(runtime && { agent_runtime: runtime }),
    ...(model && { model }),
    ...(from && { from }),
    ...(to && { to }),
  }
}
