import { sql } from 'kysely'
import { ask, compareHosts } from './support/compare.mjs'

/** The work backlog with many queued items, compared with few. BACKLOG_BENCH_ITEMS sets a smaller number. */
const target = 1.5
const few = 1000
const many = Number(process.env.BACKLOG_BENCH_ITEMS ?? 100_000)
const rounds = 80
/** Rows of one insert, which a connection of the host waits for. */
const slice = 5000

const requests = {
  'the first page': () => '',
  'the rank of the last item': (count) => `/item%23${count}`,
  'the rank of an item in the middle': (count) => `/item%23${count / 2}`,
  'the items of one surface': () => '?surface=surface-7',
  'the items of one cost, the last of the queue': () => '?estimated_cost=large',
  // Few queued items have seven of them: both answers have five, so that the search is compared and not the length of the answer.
  'the items of one repository and kind': () => '?repo=acme%2Frepo-3&kind=kind-1&per_page=5',
  'the item with one key': (count) => `?key=item%23${count}`,
  'the history': () => '?status=all',
}

const address = '/work_backlog_items'
const environment = { ROLE: 'web' }
await compareHosts({ noun: 'queued items', few, many, rounds, target, environment, seed }, async ({ compare }) => {
  for (const [name, path] of Object.entries(requests))
    await compare(name, (host, count) => ask(host, address + path(count)))
  let appended = 0
  await compare('an append', (host) => {
    appended += 1
    return ask(host, address, newItem(`appended#${appended}`))
  })
})

function newItem(key) {
  return {
    key,
    issue_url: 'https://forge.example/acme/repo-1/issues/1',
    repo: 'acme/repo-1',
    surface: 'surface-1',
    title: 'An errand',
    kind: 'kind-1',
    scope_direction: 'convergent',
    estimated_cost: 'medium',
  }
}

/** As callers would have appended them: a third of each cost, ranks down to the lowest of the band, one pin in a hundred. */
async function seed(host, count) {
  const { db } = host.app
  // One transaction would update the same counts for each row, which takes minutes. They are computed at once below.
  await sql`alter table work_backlog_items disable trigger user`.execute(db)
  for (let first = 1; first <= count; first += slice)
    await sql`
      insert into work_backlog_items
        (key, issue_url, repo, surface, title, kind, scope_direction, estimated_cost, added_at, added_by, added_via, pinned, precedence)
      select 'item#' || n, 'https://forge.example/acme/web/issues/' || n, 'acme/repo-' || n % 20, 'surface-' || n % 50,
        'An errand number ' || n, 'kind-' || n % 7, case n % 2 when 0 then 'convergent' else 'divergent' end,
        case n % 3 when 0 then 'small' when 1 then 'medium' else 'large' end,
        now() - interval '1 day' + n * interval '1 millisecond', 'human', 'api', n % 100 = 0,
        case
          when n % 100 = 0 then n * 17 % 10000
          when n % 3 = 0 then greatest(5001, 6000 - n / 3)
          when n % 3 = 1 then greatest(2001, 3000 - n / 3)
          else greatest(501, 1000 - n / 3)
        end
      from generate_series(${first}::int, ${Math.min(first + slice - 1, count)}::int) as n
    `.execute(db)
  await sql`
    insert into work_backlog_counts
    select status, surface, repo, kind, scope_direction, estimated_cost, added_by, pinned, count(*)
    from work_backlog_items
    group by status, surface, repo, kind, scope_direction, estimated_cost, added_by, pinned
  `.execute(db)
  await sql`
    insert into work_backlog_ranks
    select shift, rank_key >> shift, count(*)
    from work_backlog_items, generate_series(8, 56, 8) as shift
    group by 1, 2
  `.execute(db)
  await sql`alter table work_backlog_items enable trigger user`.execute(db)
  await sql`vacuum analyze`.execute(db)
}
